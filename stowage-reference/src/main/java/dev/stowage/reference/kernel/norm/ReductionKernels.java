package dev.stowage.reference.kernel.norm;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.DoubleArithmeticKernel;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RowwiseKernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.SortOrder;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.IntStream;

/** Sums, means and counts, and where in a row the largest elements are. */
public final class ReductionKernels {

    private ReductionKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.SUM, ReductionKernels::sum);
        kernels.put(Op.SUM_ROWS, ReductionKernels::sumRows);
        kernels.put(Op.CUMSUM, new RowwiseKernel(_ -> ReductionKernels::cumulated));
        kernels.put(Op.MEAN, new DoubleArithmeticKernel(ReductionKernels::mean));
        kernels.put(Op.COUNT_EQUAL, ReductionKernels::countEqual);
        kernels.put(Op.ARGMAX, new DoubleArithmeticKernel(ReductionKernels::argmax));
        kernels.put(Op.ARGSORT, new DoubleArithmeticKernel(ReductionKernels::argsort));
        kernels.put(Op.TOP_K, new DoubleArithmeticKernel(ReductionKernels::topK));
    }

    private static void sum(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        if (a.type().isInteger()) {
            long[] sum = new long[1];
            Elements.forEachRow(a.shape(), (i1, i2, i3) -> sum[0] += wholeRowSum(a, i1, i2, i3));
            result.setLong(0, 0, 0, 0, sum[0]);
        } else {
            double[] sum = new double[1];
            Elements.forEachRow(a.shape(), (i1, i2, i3) -> sum[0] += rowSum(a, i1, i2, i3));
            result.set(0, 0, 0, 0, sum[0]);
        }
    }

    private static void sumRows(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEachRow(result.shape(), (i1, i2, i3) -> {
            if (a.type().isInteger()) {
                result.setLong(0, i1, i2, i3, wholeRowSum(a, i1, i2, i3));
            } else {
                result.set(0, i1, i2, i3, rowSum(a, i1, i2, i3));
            }
        });
    }

    private static double rowSum(Elements a, long i1, long i2, long i3) {
        return Arrays.stream(a.row(i1, i2, i3)).sum();
    }

    private static long wholeRowSum(Elements a, long i1, long i2, long i3) {
        long sum = 0;
        for (long i0 = 0; i0 < a.shape().d0(); i0++) {
            sum += a.getLong(i0, i1, i2, i3);
        }
        return sum;
    }

    private static double[] cumulated(double[] row) {
        for (int i0 = 1; i0 < row.length; i0++) {
            row[i0] += row[i0 - 1];
        }
        return row;
    }

    private static void mean(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEachRow(
                result.shape(),
                (i1, i2, i3) -> result.set(
                        0, i1, i2, i3, rowSum(a, i1, i2, i3) / a.shape().d0()));
    }

    private static void countEqual(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements b = Elements.of(step.operand(1));
        boolean whole = a.type().isInteger() && b.type().isInteger();
        long[] count = new long[1];
        Elements.forEach(a.shape(), (i0, i1, i2, i3) -> {
            boolean equal = whole
                    ? a.getLong(i0, i1, i2, i3) == b.getLong(i0, i1, i2, i3)
                    : a.get(i0, i1, i2, i3) == b.get(i0, i1, i2, i3);
            count[0] += equal ? 1 : 0;
        });
        Elements.of(step.result()).setLong(0, 0, 0, 0, count[0]);
    }

    private static void argmax(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        for (long i1 = 0; i1 < a.shape().d1(); i1++) {
            result.setLong(i1, 0, 0, 0, placeOfLargest(a.row(i1, 0, 0)));
        }
    }

    /**
     * The last place of the largest element, as in ggml. NaN is never the largest, but makes what stands before it not
     * count; where nothing counts the place is 0.
     */
    private static int placeOfLargest(double[] row) {
        double largest = Double.NEGATIVE_INFINITY;
        int place = 0;
        for (int i0 = 0; i0 < row.length; i0++) {
            if (!(row[i0] < largest)) {
                largest = row[i0];
                place = Double.isNaN(row[i0]) ? place : i0;
            }
        }
        return place;
    }

    private static void argsort(Step step) {
        SortOrder order = Parameters.of(step, OpParameters.Argsort.class).order();
        writePlaces(step, order);
    }

    /** ggml leaves the order open; here the largest comes first. */
    private static void topK(Step step) {
        writePlaces(step, SortOrder.DESC);
    }

    private static void writePlaces(Step step, SortOrder order) {
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEachRow(result.shape(), (i1, i2, i3) -> {
            int[] places = sortedPlaces(a.row(i1, i2, i3), order);
            for (int i0 = 0; i0 < result.shape().d0(); i0++) {
                result.setLong(i0, i1, i2, i3, places[i0]);
            }
        });
    }

    /**
     * The places of the elements in sorted order. Equal elements, among them the two zeros, stay in the order of their
     * places, which ggml leaves open; NaN counts as larger than everything, where ggml's order is undefined.
     */
    private static int[] sortedPlaces(double[] row, SortOrder order) {
        // Adding zero turns -0 into 0, which comparingDouble would otherwise put before it.
        Comparator<Integer> byElement = Comparator.comparingDouble(place -> row[place] + 0.0);
        return IntStream.range(0, row.length)
                .boxed()
                .sorted(order == SortOrder.ASC ? byElement : byElement.reversed())
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
