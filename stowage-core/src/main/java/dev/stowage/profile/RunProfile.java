package dev.stowage.profile;

import dev.stowage.device.Backend;
import dev.stowage.device.RunListener;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.Comparator;
import java.util.List;

/**
 * Sums up the time that runs take: by device and op, and by split. An op goes by what its speed depends on, so that
 * {@code MUL_MAT q4_0} and {@code MUL_MAT f16} are two rows, and nodes that a device computed as one are a row of their
 * own, such as {@code RMS_NORM+MUL}.
 *
 * {@snippet :
 * RunProfile profile = new RunProfile();
 * try (Backend backend = device.open(BackendOptions.defaults().withListener(profile));
 *         Scheduler scheduler = Scheduler.over(List.of(backend))) {
 *     scheduler.listen(profile);
 *     scheduler.bind(graph).run();
 *     System.out.print(profile.text());
 * }
 * }
 *
 * <p>Once every row exists, recording a run creates no garbage. There are at most {@value #MAX_ROWS} rows of each
 * kind; others are summed up in one. Thread-safe.
 */
public final class RunProfile implements RunListener {

    /** The largest number of rows of ops, and of rows of splits. */
    public static final int MAX_ROWS = 4096;

    /** The name of the row for ops beyond that limit, and of its device. */
    public static final String OTHERS = "others";

    /** The number of the row for splits beyond that limit. */
    public static final int OTHER_SPLITS = -1;

    private static final Comparator<OpTime> LONGEST_OP_FIRST = Comparator.comparingLong(OpTime::nanos)
            .reversed()
            .thenComparing(OpTime::device)
            .thenComparing(OpTime::op);

    private static final Comparator<SplitTime> LONGEST_SPLIT_FIRST = Comparator.comparingLong(SplitTime::nanos)
            .reversed()
            .thenComparing(SplitTime::device)
            .thenComparingInt(SplitTime::split);

    private final SumsByKey<OpSum> ops = new SumsByKey<>(MAX_ROWS, OpSum::new);
    private final SumsByKey<SplitSum> splits = new SumsByKey<>(MAX_ROWS, SplitSum::new);
    private final ProfileKey key = new ProfileKey();
    private long opNanos;
    private long splitNanos;

    /** An empty profile. */
    public RunProfile() {}

    @Override
    public synchronized void computed(Backend backend, List<Tensor> nodes, long startNanos, long endNanos) {
        key.begin(backend.name());
        for (int i = 0; i < nodes.size(); i++) {
            Tensor node = nodes.get(i);
            if (NodeKind.isWork(node)) {
                key.add(NodeKind.function(node), NodeKind.type(node));
            }
        }
        OpSum sum = ops.of(key);
        sum.calls++;
        sum.nanos += endNanos - startNanos;
        opNanos += endNanos - startNanos;
    }

    @Override
    public synchronized void ranSplit(Backend backend, int split, Graph graph, long startNanos, long endNanos) {
        SplitSum sum = sumOf(backend, split);
        sum.runs++;
        sum.nodes += graph.nodeCount();
        sum.nanos += endNanos - startNanos;
        splitNanos += endNanos - startNanos;
    }

    @Override
    public synchronized void copied(
            Backend from, Backend to, int split, Tensor tensor, long bytes, long startNanos, long endNanos) {
        SplitSum sum = sumOf(to, split);
        sum.copies++;
        sum.copiedBytes += bytes;
        sum.copyNanos += endNanos - startNanos;
    }

    private SplitSum sumOf(Backend backend, int split) {
        key.begin(backend.name(), split);
        return splits.of(key);
    }

    /** Clears everything recorded so far. */
    public synchronized void reset() {
        ops.clear();
        splits.clear();
        opNanos = 0;
        splitNanos = 0;
    }

    /** The time of each op on each device, the longest first. */
    public synchronized List<OpTime> ops() {
        long all = opNanos;
        return ops
                .rows((of, sum) -> sum.row(of.device(), of.label(), all), sum -> sum.row(OTHERS, OTHERS, all))
                .stream()
                .sorted(LONGEST_OP_FIRST)
                .toList();
    }

    /**
     * The time of each split on each device, the longest first. Splits of different graphs share a row by their number.
     */
    public synchronized List<SplitTime> splits() {
        long all = splitNanos;
        return splits
                .rows((of, sum) -> sum.row(of.device(), of.number(), all), sum -> sum.row(OTHERS, OTHER_SPLITS, all))
                .stream()
                .sorted(LONGEST_SPLIT_FIRST)
                .toList();
    }

    private static double share(long nanos, long all) {
        return all == 0 ? 0 : (double) nanos / all;
    }

    /** Two human-readable tables: the time per op and, if a scheduler reported any, per split. */
    public synchronized String text() {
        return ProfileText.of(ops(), splits());
    }

    /** The same as JSON. */
    public synchronized String toJson() {
        return ProfileJson.of(ops(), splits());
    }

    private static final class OpSum {
        private long calls;
        private long nanos;

        OpTime row(String device, String op, long all) {
            return new OpTime(device, op, calls, nanos, share(nanos, all));
        }
    }

    private static final class SplitSum {
        private long runs;
        private long nodes;
        private long nanos;
        private long copies;
        private long copiedBytes;
        private long copyNanos;

        SplitTime row(String device, int split, long all) {
            return new SplitTime(device, split, runs, nodes, nanos, share(nanos, all), copies, copiedBytes, copyNanos);
        }
    }
}
