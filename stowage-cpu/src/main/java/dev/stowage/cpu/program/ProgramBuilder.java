package dev.stowage.cpu.program;

import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.device.Step;
import dev.stowage.device.fusion.FusionMatcher;
import dev.stowage.error.AllocationException;
import dev.stowage.graph.Graph;
import dev.stowage.packing.Budget;
import dev.stowage.packing.Packers;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import dev.stowage.packing.Solution;
import dev.stowage.plan.BoundGraph;
import dev.stowage.reference.ReferenceOps;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes the {@link CpuProgram} of a graph: asks the kernel of every node for its tasks, and plans the scratch memory. */
final class ProgramBuilder implements FusionMatcher.Visitor<Fusion> {

    /** What was made from an operand, and how far the graph had come when it was. */
    private record Derived(Scratch scratch, int madeAt) {}

    private record DerivedKey(long address, Layout layout, String form) {}

    private final BoundGraph bound;
    private final Graph graph;
    private final OpKernels kernels;
    private final Fusions fusions;
    private final int threads;
    private final List<ParallelTask> tasks = new ArrayList<>();
    private final List<Step> owners = new ArrayList<>();
    private final List<NodeGroup> groups = new ArrayList<>();
    private final List<Scratch> scratches = new ArrayList<>();
    private final Map<DerivedKey, Derived> derived = new HashMap<>();
    private int node;

    ProgramBuilder(BoundGraph bound, OpKernels kernels, Fusions fusions, int threads) {
        this.bound = bound;
        this.graph = bound.graph();
        this.kernels = kernels;
        this.fusions = fusions;
        this.threads = threads;
    }

    int threads() {
        return threads;
    }

    CpuProgram build(long scratchLimit) {
        fusions.matcher().walk(graph, this);
        long scratchBytes = planScratch();
        if (scratchBytes > scratchLimit) {
            throw new AllocationException(
                    "the graph needs " + scratchBytes + " bytes of scratch memory, and may have " + scratchLimit,
                    "cpu scratch",
                    scratchBytes,
                    scratchLimit);
        }
        return new CpuProgram(
                bound,
                tasks.toArray(ParallelTask[]::new),
                owners.toArray(Step[]::new),
                groups.toArray(NodeGroup[]::new),
                scratches,
                scratchBytes);
    }

    @Override
    public boolean fuse(Fusion fusion, int first, int count) {
        node = first;
        boolean taken = hasWork(graph.node(first)) && prepare(fusion, first, count);
        if (taken) {
            closeGroup(count);
        }
        return taken;
    }

    private boolean prepare(Fusion fusion, int first, int count) {
        List<NodeBuilder> nodes = new ArrayList<>(count);
        for (int index = first; index < first + count; index++) {
            Step step = Step.of(bound, index);
            if (!isReachable(step)) {
                return false;
            }
            nodes.add(new NodeBuilder(this, step));
        }
        return fusion.prepare(nodes);
    }

    @Override
    public void single(int index) {
        node = index;
        if (!hasWork(graph.node(index))) {
            return;
        }
        Step step = Step.of(bound, index);
        if (!isReachable(step) || !kernels.of(step.op()).prepare(new NodeBuilder(this, step))) {
            add(step, new ReferenceTask(step));
        }
        closeGroup(1);
    }

    /** Notes that the tasks of some nodes, from the present one on, are complete. */
    private void closeGroup(int count) {
        Tensor[] nodes = new Tensor[count];
        Arrays.setAll(nodes, i -> graph.node(node + i));
        groups.add(new NodeGroup(List.of(nodes), tasks.size()));
    }

    private static boolean hasWork(Tensor result) {
        return result.op() != Op.NONE
                && !result.op().isViewOp()
                && !result.shape().isEmpty();
    }

    /** Whether kernels reach the result and all operands of a node. */
    private static boolean isReachable(Step step) {
        boolean reachable = Operand.isReachable(step.result());
        for (int slot = 0; slot < step.operandCount(); slot++) {
            reachable &= !step.hasOperand(slot) || Operand.isReachable(step.operand(slot));
        }
        return reachable;
    }

    void add(Step step, ParallelTask task) {
        tasks.add(task);
        owners.add(step);
    }

    Scratch scratch(long bytes, int parts) {
        Scratch scratch = new Scratch(bytes, parts, node);
        scratches.add(scratch);
        return scratch;
    }

    Scratch derived(Step step, Operand source, String form, long bytes, NodeBuilder.Maker maker) {
        DerivedKey key = new DerivedKey(source.address, source.layout(), form);
        Derived known = derived.get(key);
        if (known != null && !isWritten(source, known.madeAt(), node)) {
            known.scratch().keepThrough(node);
            return known.scratch();
        }
        Scratch scratch = scratch(bytes, 1);
        add(step, maker.fill(scratch));
        derived.put(key, new Derived(scratch, node));
        return scratch;
    }

    /** Whether a node from {@code from} on and before {@code to} writes to the memory of an operand. */
    private boolean isWritten(Operand source, int from, int to) {
        long end = source.address + source.tensor.byteSize();
        for (int i = from; i < to; i++) {
            Tensor written = graph.node(i);
            if (hasWork(written)) {
                long first = Operand.address(bound.tensor(i));
                if (first < end && source.address < first + written.byteSize()) {
                    return true;
                }
            }
        }
        return false;
    }

    private long planScratch() {
        if (scratches.isEmpty()) {
            return 0;
        }
        ProblemBuilder problem = Problem.builder();
        for (Scratch scratch : scratches) {
            problem.addAligned(scratch.from(), scratch.to(), scratch.bytes(), Scratch.ALIGNMENT);
        }
        Solution solution =
                Packers.named("size").pack(problem.build(), Budget.steps(1)).solution();
        for (int i = 0; i < scratches.size(); i++) {
            scratches.get(i).placeAt(solution.offset(i));
        }
        return solution.height();
    }

    /** A node that the reference op computes, in one piece. */
    private static final class ReferenceTask extends ParallelTask {

        private final Step step;

        ReferenceTask(Step step) {
            super(1);
            this.step = step;
        }

        @Override
        public void run(int piece, int thread) {
            ReferenceOps.compute(step);
        }
    }
}
