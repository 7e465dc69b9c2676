package dev.stowage.cpu.op.window;

/**
 * Which elements of a line of an image count for each point of a line of another length, and how much: worked out once,
 * when a graph is prepared.
 *
 * <p>The position of a point is computed in floats, as ggml does: for points on an element, or halfway between two, the
 * last bit decides which elements count.
 */
final class Resampling {

    /** The steepness of the cubic at its neighbours, as in most image libraries. */
    private static final double CUBIC = -0.75;

    private final int points;
    private final int taps;
    private final int[] counts;
    private final int[] elements;
    private final float[] weights;

    private Resampling(int points, int taps) {
        this.points = points;
        this.taps = taps;
        this.counts = new int[points];
        this.elements = new int[points * taps];
        this.weights = new float[points * taps];
    }

    /** How the points of a line map to another. */
    record Axis(long from, long to, float scale, float centre) {

        static Axis of(long from, long to, boolean alignCorners) {
            float scale = alignCorners && from > 1 && to > 1 ? (float) (to - 1) / (from - 1) : (float) to / from;
            return new Axis(from, to, scale, alignCorners ? 0f : 0.5f);
        }

        /** The element at or before a point, for points that are not in the centre of an element. */
        long before(long point) {
            return (long) (point / scale);
        }

        /** The position of a point, counted in elements whose centres are at whole numbers. */
        private float at(long point) {
            return (point + centre) / scale - centre;
        }

        /** The position of a point, counted from the edge of the first element. */
        private float fromEdge(long point) {
            return (point + centre) / scale;
        }

        /** How far to either side of a point elements count: the next one, or as many as shrink into one. */
        private float reach() {
            return Math.max(1f, 1f / scale);
        }

        private int clamp(long element) {
            return Math.toIntExact(Math.clamp(element, 0L, from - 1));
        }

        private int points() {
            return Math.toIntExact(to);
        }
    }

    /** The element before the point. */
    static Resampling nearest(Axis axis) {
        Resampling result = new Resampling(axis.points(), 1);
        for (int point = 0; point < result.points; point++) {
            result.set(point, 0, axis.clamp(axis.before(point)), 1);
        }
        return result;
    }

    /** The two elements around the point. */
    static Resampling linear(Axis axis) {
        Resampling result = new Resampling(axis.points(), 2);
        for (int point = 0; point < result.points; point++) {
            long before = (long) Math.floor(axis.at(point));
            double part = Math.clamp(axis.at(point) - (double) axis.clamp(before), 0.0, 1.0);
            result.set(point, 0, axis.clamp(before), 1 - part);
            result.set(point, 1, axis.clamp(before + 1), part);
        }
        return result;
    }

    /** The four elements around the point. */
    static Resampling cubic(Axis axis) {
        Resampling result = new Resampling(axis.points(), 4);
        for (int point = 0; point < result.points; point++) {
            long before = (long) Math.floor(axis.at(point));
            double part = axis.at(point) - (double) before;
            result.set(point, 0, axis.clamp(before - 1), far(part + 1));
            result.set(point, 1, axis.clamp(before), near(part));
            result.set(point, 2, axis.clamp(before + 1), near(1 - part));
            result.set(point, 3, axis.clamp(before + 2), far(2 - part));
        }
        return result;
    }

    /** All elements that shrink into the point, less the further away they are; together they weigh 1. */
    static Resampling smooth(Axis axis) {
        int most = Math.toIntExact(Math.min(axis.from(), (long) Math.ceil(2 * axis.reach()) + 2));
        Resampling result = new Resampling(axis.points(), most);
        for (int point = 0; point < result.points; point++) {
            long first = Math.max((long) (axis.fromEdge(point) - axis.reach() + axis.centre()), 0);
            long end = Math.min((long) (axis.fromEdge(point) + axis.reach() + axis.centre()), axis.from());
            result.setSmooth(axis, point, first, end);
        }
        return result;
    }

    private void setSmooth(Axis axis, int point, long first, long end) {
        double[] each = new double[Math.toIntExact(Math.max(0, end - first))];
        double sum = 0;
        for (int i = 0; i < each.length; i++) {
            double off = Math.abs(first + i - (double) axis.fromEdge(point) + axis.centre());
            each[i] = Math.max(0, 1 - off / axis.reach());
            sum += each[i];
        }
        for (int i = 0; i < each.length; i++) {
            if (each[i] > 0) {
                set(point, counts[point], axis.clamp(first + i), each[i] / sum);
            }
        }
    }

    private void set(int point, int tap, int element, double weight) {
        elements[point * taps + tap] = element;
        weights[point * taps + tap] = (float) weight;
        counts[point] = tap + 1;
    }

    /** The most elements that count for a point, and how far apart its entries are in the lists. */
    int taps() {
        return taps;
    }

    /** For each point how many elements count. */
    int[] counts() {
        return counts;
    }

    /** For each point and tap the number of the element. */
    int[] elements() {
        return elements;
    }

    /** For each point and tap how much the element counts. */
    float[] weights() {
        return weights;
    }

    private static double near(double distance) {
        return ((CUBIC + 2) * distance - (CUBIC + 3)) * distance * distance + 1;
    }

    private static double far(double distance) {
        return ((CUBIC * distance - 5 * CUBIC) * distance + 8 * CUBIC) * distance - 4 * CUBIC;
    }
}
