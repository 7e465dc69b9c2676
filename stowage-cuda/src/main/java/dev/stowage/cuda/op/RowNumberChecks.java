package dev.stowage.cuda.op;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.op.strided.RowNumbers;
import dev.stowage.cuda.op.unit.ExpertIds;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * Adds launches that check numbers of rows and matrices, before the nodes that use them. Lists that no node of the graph
 * writes, as tokens and cells, are checked by one launch before all others; the rest as soon as what writes them has been
 * launched. A list that several nodes use is checked once for tables of the same size, and one that is right by the way it is
 * made, as the order of experts, is not checked.
 */
final class RowNumberChecks {

    /** What one launch of {@code check_row_numbers} takes. */
    private static final int LISTS = 4;

    /** {@code LANES} of the kernel for each list. */
    private static final int THREADS = 256 * LISTS;

    private static final Launch.ViewArgument EMPTY =
            new Launch.ViewArgument(0, Layout.contiguous(ElementType.I32, Shape.of(0)));

    /** A list and the nodes that write it before it is used. */
    private record Check(BoundTensor numbers, long rows, String user, Set<Integer> writers) {

        /** Whether another is the same check. */
        boolean covers(Check other) {
            return rows == other.rows
                    && writers.equals(other.writers)
                    && DeviceAddress.of(numbers) == DeviceAddress.of(other.numbers)
                    && numbers.layout().equals(other.numbers.layout());
        }
    }

    private final Graph graph;
    private final boolean[] done;
    private final LaunchList out;
    private final List<Check> pending = new ArrayList<>();

    /**
     * @param done which nodes have been launched; changes meanwhile
     * @param out where the launches go
     */
    RowNumberChecks(BoundGraph bound, boolean[] done, LaunchList out) {
        this.graph = bound.graph();
        this.done = done;
        this.out = out;
        for (int node = 0; node < graph.nodeCount(); node++) {
            int slot = RowNumbers.slot(graph.op(node));
            if (slot >= 0 && !graph.node(node).shape().isEmpty() && isThere(node, slot)) {
                add(Step.of(bound, node), slot);
            }
        }
    }

    private boolean isThere(int node, int slot) {
        return graph.firstSlot(node) + slot < graph.endSlot(node)
                && graph.sourceAt(graph.firstSlot(node) + slot) != Graph.NO_ID;
    }

    private void add(Step step, int slot) {
        BoundTensor numbers = step.operand(slot);
        long rows = RowNumbers.rows(step);
        int root = root(graph.sourceAt(graph.firstSlot(step.node()) + slot));
        Set<Integer> writers = writers(root, step.node());
        if (numbers.shape().isEmpty()) {
            return;
        }
        // Numbers that come from elsewhere may have been written by anyone, whatever op their tensor has.
        if (writers.equals(Set.of(root)) && RowNumbers.areWithin(numbers.tensor(), rows)) {
            ExpertIds.trust(numbers, rows, out);
            return;
        }
        Check check = new Check(numbers, rows, step.result().tensor().describe(), writers);
        if (pending.stream().noneMatch(known -> known.covers(check))) {
            pending.add(check);
        }
    }

    /** The nodes before {@code end} that write the memory of a tensor. */
    private Set<Integer> writers(int root, int end) {
        Set<Integer> writers = new HashSet<>();
        for (int node = 0; node < end; node++) {
            if (root(node) == root
                    && graph.isComputed(node)
                    && !graph.isViewOp(node)
                    && !graph.node(node).shape().isEmpty()) {
                writers.add(node);
            }
        }
        return writers;
    }

    private int root(int id) {
        int source = graph.viewSource(id);
        return source == Graph.NO_ID ? id : source;
    }

    /** Adds the checks of lists that are complete by now. */
    void addReady() {
        List<Check> ready = new ArrayList<>();
        for (Iterator<Check> checks = pending.iterator(); checks.hasNext(); ) {
            Check check = checks.next();
            if (check.writers().stream().allMatch(node -> done[node])) {
                ready.add(check);
                checks.remove();
            }
        }
        for (int first = 0; first < ready.size(); first += LISTS) {
            launch(ready.subList(first, Math.min(first + LISTS, ready.size())));
        }
    }

    private void launch(List<Check> checks) {
        Launch launch = Launch.of("check_row_numbers").block(THREADS).dependent();
        int wide = 0;
        for (int i = 0; i < LISTS; i++) {
            if (i < checks.size()) {
                Check check = checks.get(i);
                wide |= check.numbers().type() == ElementType.I64 ? 1 << i : 0;
                launch.view(check.numbers()).i64(check.rows()).argument(new Launch.ReportSubject(check.user()));
            } else {
                launch.argument(EMPTY).i64(0).i64(0);
            }
        }
        out.add(launch.i32(wide).argument(new Launch.ReportPointer()));
    }
}
