package dev.stowage.reference.kernel.window;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RestrictedKernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/**
 * {@link Op#UPSCALE}: the value of an image at points between its elements. Width and height are interpolated; along
 * the other dimensions the element before the point is taken.
 *
 * <p>The position of a point is computed in floats, as ggml does: for points on an element, or halfway between two, the
 * last bit decides which elements count.
 */
final class UpscaleKernel implements Kernel {

    /** The steepness of the cubic at its neighbours, as in most image libraries. */
    private static final double CUBIC = -0.75;

    @Override
    public OpSupport supports(Tensor node) {
        return RestrictedKernel.require(
                !node.source(0).shape().isEmpty(), "an image without elements has no values to interpolate");
    }

    @Override
    public void compute(Step step) {
        OpParameters.Interpolate parameters = Parameters.of(step, OpParameters.Interpolate.class);
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Axis width = Axis.of(step, 0, parameters.alignCorners());
        Axis height = Axis.of(step, 1, parameters.alignCorners());
        Axis third = Axis.of(step, 2, false);
        Axis fourth = Axis.of(step, 3, false);
        Elements.forEach(result.shape(), (i0, i1, i2, i3) -> {
            Plane plane = (x, y) -> a.get(x, y, third.before(i2), fourth.before(i3));
            double value = switch (parameters.mode()) {
                case NEAREST -> plane.get(width.before(i0), height.before(i1));
                case BILINEAR ->
                    parameters.antialias()
                            ? smoothed(plane, width, i0, height, i1)
                            : bilinear(plane, width, i0, height, i1);
                case BICUBIC -> bicubic(plane, width, i0, height, i1);
            };
            result.set(i0, i1, i2, i3, value);
        });
    }

    /** An image with one channel. */
    @FunctionalInterface
    private interface Plane {
        double get(long x, long y);
    }

    /** How points of the result map to one dimension of the source. */
    private record Axis(long size, float scale, float centre) {

        static Axis of(Step step, int dimension, boolean alignCorners) {
            long from = step.operand(0).dim(dimension);
            long to = step.result().dim(dimension);
            float scale = alignCorners && from > 1 && to > 1 ? (float) (to - 1) / (from - 1) : (float) to / from;
            return new Axis(from, scale, alignCorners ? 0f : 0.5f);
        }

        /** The element at or before a point, for points that are not in the centre of an element. */
        long before(long i) {
            return (long) (i / scale);
        }

        /** The position of a point, counted in elements whose centres are at whole numbers. */
        float at(long i) {
            return (i + centre) / scale - centre;
        }

        /** The position of a point, counted from the edge of the first element. */
        float fromEdge(long i) {
            return (i + centre) / scale;
        }

        /** How far to either side of a point elements count: the next one, or as many as shrink into one. */
        float reach() {
            return Math.max(1f, 1f / scale);
        }

        long first(long i) {
            return Math.max((long) (fromEdge(i) - reach() + centre), 0);
        }

        long end(long i) {
            return Math.min((long) (fromEdge(i) + reach() + centre), size);
        }

        /** The weight of an element for a point, falling off to both sides. */
        double weight(long element, long i) {
            return Math.max(0, 1 - Math.abs(element - (double) fromEdge(i) + centre) / reach());
        }

        long clamp(long element) {
            return Math.clamp(element, 0, size - 1);
        }
    }

    private static double bilinear(Plane plane, Axis width, long i0, Axis height, long i1) {
        long x = (long) Math.floor(width.at(i0));
        long y = (long) Math.floor(height.at(i1));
        double right = Math.clamp(width.at(i0) - (double) width.clamp(x), 0.0, 1.0);
        double below = Math.clamp(height.at(i1) - (double) height.clamp(y), 0.0, 1.0);
        long x0 = width.clamp(x);
        long x1 = width.clamp(x + 1);
        long y0 = height.clamp(y);
        long y1 = height.clamp(y + 1);
        return (plane.get(x0, y0) * (1 - right) + plane.get(x1, y0) * right) * (1 - below)
                + (plane.get(x0, y1) * (1 - right) + plane.get(x1, y1) * right) * below;
    }

    private static double smoothed(Plane plane, Axis width, long i0, Axis height, long i1) {
        double sum = 0;
        double weights = 0;
        for (long y = height.first(i1); y < height.end(i1); y++) {
            for (long x = width.first(i0); x < width.end(i0); x++) {
                double weight = width.weight(x, i0) * height.weight(y, i1);
                if (weight > 0) {
                    sum += weight * plane.get(x, y);
                    weights += weight;
                }
            }
        }
        return weights > 0 ? sum / weights : sum;
    }

    private static double bicubic(Plane plane, Axis width, long i0, Axis height, long i1) {
        long x = (long) Math.floor(width.at(i0));
        long y = (long) Math.floor(height.at(i1));
        double right = width.at(i0) - (double) x;
        double below = height.at(i1) - (double) y;
        double[] rows = new double[4];
        for (int row = 0; row < rows.length; row++) {
            long j = height.clamp(y - 1 + row);
            rows[row] = cubic(
                    plane.get(width.clamp(x - 1), j),
                    plane.get(width.clamp(x), j),
                    plane.get(width.clamp(x + 1), j),
                    plane.get(width.clamp(x + 2), j),
                    right);
        }
        return cubic(rows[0], rows[1], rows[2], rows[3], below);
    }

    /** The cubic through {@code b} at 0 and {@code c} at 1 with {@code a} and {@code d} at either side of them. */
    private static double cubic(double a, double b, double c, double d, double at) {
        return a * far(at + 1) + b * near(at) + c * near(1 - at) + d * far(2 - at);
    }

    private static double near(double distance) {
        return ((CUBIC + 2) * distance - (CUBIC + 3)) * distance * distance + 1;
    }

    private static double far(double distance) {
        return ((CUBIC * distance - 5 * CUBIC) * distance + 8 * CUBIC) * distance - 4 * CUBIC;
    }
}
