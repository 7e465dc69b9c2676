package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A search heuristic: which valley to fill next, which buffer to try first, and whether to prefer buffers that end
 * level with a wall. No style is best for all problems, hence the {@link Portfolio}.
 *
 * @param valleys which valley to fill next
 * @param order which buffers to try first
 * @param levelFirst whether buffers that end level with the walls of a valley go before all others
 * @param seed for random changes of the order; 0 for none
 */
record SearchStyle(Valleys valleys, Order order, boolean levelFirst, long seed) {

    /** Which valley to fill next. */
    enum Valleys {
        /** The one with the fewest choices. */
        FEWEST_CHOICES,
        /** The lowest. */
        LOWEST,
        /** The one with the fewest choices, with a penalty on possible holes. */
        FEWEST_HOLES,
        /** The lowest, and in it the section that the first buffer in the order fills best. */
        FIRST_BUFFER
    }

    /** Which buffers to try first. */
    enum Order {
        AREA,
        LIFETIME,
        SIZE,
        LOAD
    }

    /** All styles, but for their seeds. */
    static final List<SearchStyle> ALL = all();

    /**
     * The styles for problems without slack. All sections are equally full then, so the lifetime of a buffer does not
     * rank it.
     */
    static final List<SearchStyle> WITHOUT_SLACK = ALL.stream()
            .filter(style -> style.valleys != Valleys.FIRST_BUFFER)
            .filter(style -> style.order == Order.AREA || style.order == Order.SIZE)
            .toList();

    private static List<SearchStyle> all() {
        List<SearchStyle> styles = new ArrayList<>();
        for (boolean levelFirst : new boolean[] {true, false}) {
            for (Order order : Order.values()) {
                for (Valleys valleys : Valleys.values()) {
                    // The first buffer of an order would not be first any more if others went before it.
                    boolean inOrder = valleys == Valleys.FIRST_BUFFER;
                    if (!inOrder || levelFirst) {
                        styles.add(new SearchStyle(valleys, order, levelFirst && !inOrder, 0));
                    }
                }
            }
        }
        return List.copyOf(styles);
    }

    /** The same style with another seed. */
    SearchStyle withSeed(long newSeed) {
        return new SearchStyle(valleys, order, levelFirst, newSeed);
    }

    /** All buffers of a model, in the order they are tried. */
    int[] ordered(SearchModel model) {
        long[] keys = new long[model.count];
        long[] loads = order == Order.LOAD ? highestLoads(model) : keys;
        SplittableRandom random = new SplittableRandom(seed);
        for (int buffer = 0; buffer < keys.length; buffer++) {
            double width = (double) model.end[buffer] - model.first[buffer];
            double key = switch (order) {
                case AREA -> width * model.size[buffer];
                case LIFETIME -> width * 1e6 + relativeSize(model, buffer);
                case SIZE -> model.size[buffer] * 1e3 + width;
                case LOAD -> loads[buffer] * 1e6 + width * 1e3 + Math.min(999, relativeSize(model, buffer));
            };
            // A factor of 0.7 to 1.3 reorders similar buffers only.
            keys[buffer] = (long) (seed == 0 ? key : key * (0.7 + 0.6 * random.nextDouble()));
        }
        return IndexSort.descending(keys);
    }

    private static double relativeSize(SearchModel model, int buffer) {
        return (double) model.size[buffer] / Math.max(1, model.smallest);
    }

    /** For every buffer the load of the fullest section it is live in. */
    private static long[] highestLoads(SearchModel model) {
        long[] loads = new long[model.sections];
        for (int buffer = 0; buffer < model.count; buffer++) {
            for (int section = model.first[buffer]; section < model.end[buffer]; section++) {
                loads[section] += model.size[buffer];
            }
        }
        long[] highest = new long[model.count];
        for (int buffer = 0; buffer < model.count; buffer++) {
            for (int section = model.first[buffer]; section < model.end[buffer]; section++) {
                highest[buffer] = Math.max(highest[buffer], loads[section]);
            }
        }
        return highest;
    }
}
