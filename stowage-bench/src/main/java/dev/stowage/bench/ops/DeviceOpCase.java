package dev.stowage.bench.ops;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * An op to measure on a device against its ceilings. One graph has as many copies of the op as it takes for their operands to
 * be larger than any cache, one after the other, each with operands of its own.
 *
 * @param group what it is asked for by, one of {@link dev.stowage.cli.bench.OpsBenchGroups}
 * @param shape the sizes, human-readable
 * @param type the type of the weights, the cache or the result, which is what kernels differ in
 * @param flops the additions and multiplications of one op; 0 where they are not what it takes time for
 * @param isPatient whether it is left out where it has to be quick
 * @param maker makes the operands that copies share, and returns what makes one copy
 */
record DeviceOpCase(
        String group,
        String shape,
        ElementType type,
        double flops,
        boolean isPatient,
        Function<BenchWorkloadBuilder, Supplier<Tensor>> maker) {

    /** More copies would take longer to prepare and to upload than they make the numbers better. */
    private static final int MOST_COPIES = 128;

    /**
     * Copies of the op in one graph.
     *
     * @param bytes the bytes that one of them reads and writes
     */
    record Copies(BenchWorkload workload, int count, long bytes) {}

    /** Group and sizes. */
    String name() {
        return group + " " + shape;
    }

    /** So many copies that they read and write at least {@code coldBytes} together. */
    Copies make(TestData data, long coldBytes) {
        BenchWorkloadBuilder b = new BenchWorkloadBuilder(data);
        Supplier<Tensor> op = maker.apply(b);
        List<Tensor> results = new ArrayList<>();
        results.add(op.get());
        long bytes = OpTraffic.bytes(results.getFirst());
        int count = Math.clamp(Math.ceilDiv(coldBytes, Math.max(1, bytes)), 1, MOST_COPIES);
        while (results.size() < count) {
            b.repeatInputs();
            results.add(op.get());
        }
        return new Copies(b.build(results), count, bytes);
    }
}
