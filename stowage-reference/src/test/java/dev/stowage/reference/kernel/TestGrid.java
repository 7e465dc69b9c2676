package dev.stowage.reference.kernel;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Random;

/** Numbers in four dimensions, the first running fastest: operands of a test, and what a formula says about results. */
public final class TestGrid {

    /** What stands at an index. */
    @FunctionalInterface
    public interface Formula {
        double at(int i0, int i1, int i2, int i3);
    }

    private final int d0;
    private final int d1;
    private final int d2;
    private final int d3;
    private final double[] values;

    private TestGrid(int d0, int d1, int d2, int d3, double[] values) {
        this.d0 = d0;
        this.d1 = d1;
        this.d2 = d2;
        this.d3 = d3;
        this.values = values;
    }

    public static TestGrid of(int d0, int d1, int d2, int d3, Formula formula) {
        double[] values = TestNumbers.of(
                d0 * d1 * d2 * d3, n -> formula.at(n % d0, n / d0 % d1, n / d0 / d1 % d2, n / d0 / d1 / d2));
        return new TestGrid(d0, d1, d2, d3, values);
    }

    /** Numbers between -2 and 2 that all floating-point types hold exactly. */
    public static TestGrid random(Random random, int d0, int d1, int d2, int d3) {
        return of(d0, d1, d2, d3, (_, _, _, _) -> (random.nextInt(65) - 32) / 16.0);
    }

    public double get(int i0, int i1, int i2, int i3) {
        return values[((i3 * d2 + i2) * d1 + i1) * d0 + i0];
    }

    /** The number at an index, or zero where there is none. */
    public double getOrZero(int i0, int i1, int i2, int i3) {
        boolean inside = Math.min(Math.min(i0, i1), Math.min(i2, i3)) >= 0 && i0 < d0 && i1 < d1 && i2 < d2 && i3 < d3;
        return inside ? get(i0, i1, i2, i3) : 0;
    }

    public void set(int i0, int i1, int i2, int i3, double value) {
        values[((i3 * d2 + i2) * d1 + i1) * d0 + i0] = value;
    }

    public double[] values() {
        return values.clone();
    }

    /** What a leaf of another type than f32 holds of numbers after rounding them. */
    public static TestGrid rounded(Computation computation, Tensor leaf) {
        double[] values = computation.read(leaf);
        return new TestGrid((int) leaf.dim(0), (int) leaf.dim(1), (int) leaf.dim(2), (int) leaf.dim(3), values);
    }

    /** A leaf with these numbers. */
    public Tensor in(Computation computation) {
        return in(computation, ElementType.F32);
    }

    /** A leaf with these numbers, rounded to a type. */
    public Tensor in(Computation computation, ElementType type) {
        return computation.leaf(type, values, d0, d1, d2, d3);
    }

    /** A view that shows these numbers, of a leaf that has dimensions 1 and 2 in the other order. */
    public Tensor permuted(Computation computation, ElementType type) {
        TestGrid swapped = of(d0, d2, d1, d3, (i0, i1, i2, i3) -> get(i0, i2, i1, i3));
        return computation.ops().permute(swapped.in(computation, type), 0, 2, 1, 3);
    }

    /** A view that shows these numbers, of a leaf that has dimension 2 innermost. */
    public Tensor channelsFirst(Computation computation) {
        TestGrid swapped = of(d2, d0, d1, d3, (i0, i1, i2, i3) -> get(i1, i2, i0, i3));
        return computation.ops().permute(swapped.in(computation), 2, 0, 1, 3);
    }
}
