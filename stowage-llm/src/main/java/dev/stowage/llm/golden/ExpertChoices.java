package dev.stowage.llm.golden;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.memory.BoundTensor;
import dev.stowage.schedule.NodeObserver;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Watches which experts the tokens of a text go through. A choice is close where the last expert that was chosen and the first
 * that was not differ by less than rounding may change them: another computation that is as right chooses the other one, and
 * everything after it differs. Close choices can be made the other way.
 */
final class ExpertChoices implements NodeObserver {

    /** The values of a router, and all experts in their order; views of them have longer names. */
    private static final Pattern WATCHED = Pattern.compile("ffn_moe_(logits|argsort)-(\\d{1,9})");

    /** Where a choice is made: a layer, and the number of a token among all that went through it. */
    record Place(int layer, int token) {}

    /**
     * A choice that rounding may have decided.
     *
     * @param expert the last one that was chosen
     * @param other the first one that was not
     * @param margin by how much the router prefers the first
     * @param noise by how much rounding may change that
     */
    record Close(Place place, int expert, int other, double margin, double noise) {

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "token %d goes through expert %d in place of %d in layer %d, where the router prefers the latter by %.1e and"
                            + " rounding may change that by %.1e",
                    place.token,
                    other,
                    expert,
                    place.layer,
                    margin,
                    noise);
        }
    }

    private final int used;
    private final double share;
    private final Set<Place> changed;
    private final List<Close> close = new ArrayList<>();
    private final Map<Integer, float[]> routers = new HashMap<>();
    private final Map<Integer, Integer> tokens = new HashMap<>();

    /**
     * Watches a text from its first token on.
     *
     * @param used how many experts a token goes through
     * @param share by which share of their size the values of a router may be off
     * @param changed the choices to make the other way
     */
    ExpertChoices(int used, double share, Set<Place> changed) {
        this.used = used;
        this.share = share;
        this.changed = Set.copyOf(changed);
    }

    /** The close choices that were not made the other way, the closest first. */
    List<Close> close() {
        return close.stream()
                .sorted((one, other) -> Double.compare(one.margin / one.noise, other.margin / other.noise))
                .toList();
    }

    @Override
    public boolean wants(Tensor node) {
        return WATCHED.matcher(node.name()).matches();
    }

    @Override
    public boolean show(BoundTensor node) {
        Matcher name = WATCHED.matcher(node.tensor().name());
        if (!name.matches()) {
            return true;
        }
        int layer = Integer.parseInt(name.group(2));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(node.byteSize(), Long.BYTES);
            node.get(0, bytes);
            if (name.group(1).equals("logits")) {
                routers.put(layer, bytes.toArray(JAVA_FLOAT));
            } else {
                choose(layer, Math.toIntExact(node.dim(0)), bytes);
                node.set(0, bytes);
            }
        }
        return true;
    }

    /** Looks at the order of all experts for each token, and changes it where that is wanted. */
    private void choose(int layer, int experts, MemorySegment order) {
        float[] router = routers.getOrDefault(layer, new float[0]);
        int rows = experts > used ? router.length / experts : 0;
        for (int row = 0; row < rows; row++) {
            Place place = new Place(layer, tokens.merge(layer, 1, Integer::sum) - 1);
            long last = (long) row * experts + used - 1;
            int expert = order.getAtIndex(JAVA_INT, last);
            int other = order.getAtIndex(JAVA_INT, last + 1);
            if (changed.contains(place)) {
                order.setAtIndex(JAVA_INT, last, other);
                order.setAtIndex(JAVA_INT, last + 1, expert);
                continue;
            }
            int first = row * experts;
            double margin = (double) router[first + expert] - router[first + other];
            // Both may be off.
            double noise = 2 * share * size(router, first, experts);
            if (margin <= noise) {
                close.add(new Close(place, expert, other, margin, noise));
            }
        }
    }

    private static double size(float[] values, int from, int count) {
        double squares = 0;
        for (int i = from; i < from + count; i++) {
            squares += (double) values[i] * values[i];
        }
        return Math.sqrt(squares / count);
    }
}
