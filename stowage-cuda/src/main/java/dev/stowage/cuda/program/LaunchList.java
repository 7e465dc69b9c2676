package dev.stowage.cuda.program;

import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.kernel.KernelSignature;
import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.packing.Budget;
import dev.stowage.packing.Packers;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import dev.stowage.packing.Solution;
import dev.stowage.plan.BoundGraph;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/** The launches of a graph in the order of the stream, while it is being built. Checks each against its kernel. */
public final class LaunchList implements LaunchSink {

    private static final long SCRATCH_ALIGNMENT = 256;

    /** What is put into the stream. */
    sealed interface Action {}

    /** A kernel is launched. */
    record Run(Launch launch) implements Action {}

    /** Scratch memory is set. */
    record Fill(Scratch scratch, long bytes, byte value) implements Action {}

    /** Consecutive actions that compute some nodes. */
    record Group(List<Integer> nodes, int firstAction, int endAction) {}

    private final Gpu gpu;
    private final KernelCatalog catalog;
    private final DerivedForms derived;
    private final List<Action> actions = new ArrayList<>();
    private final List<Scratch> scratches = new ArrayList<>();
    private final List<Group> groups = new ArrayList<>();

    /** An empty list for such a device, whose launches share nothing. */
    public LaunchList(Gpu gpu, KernelCatalog catalog) {
        this(gpu, catalog, DerivedForms.none());
    }

    /** An empty list for such a device, in which the nodes of a graph share what launches make of its tensors. */
    public LaunchList(Gpu gpu, KernelCatalog catalog, BoundGraph graph) {
        this(gpu, catalog, DerivedForms.of(graph));
    }

    private LaunchList(Gpu gpu, KernelCatalog catalog, DerivedForms derived) {
        this.gpu = gpu;
        this.catalog = catalog;
        this.derived = derived;
    }

    @Override
    public Gpu gpu() {
        return gpu;
    }

    @Override
    public Scratch scratch(long bytes) {
        Scratch scratch = new Scratch(bytes);
        scratches.add(scratch);
        return scratch;
    }

    @Override
    public DerivedForms derived() {
        return derived;
    }

    @Override
    public void add(Launch launch) {
        requireSignature(launch, catalog.get(launch.kernel()));
        for (Launch.Argument argument : launch.arguments()) {
            use(argument);
        }
        actions.add(new Run(launch));
    }

    @Override
    public void fill(Scratch scratch, long bytes, byte value) {
        scratch.usedBy(actions.size());
        actions.add(new Fill(scratch, bytes, value));
    }

    private void use(Launch.Argument argument) {
        switch (argument) {
            case Launch.ScratchPointer pointer -> pointer.scratch().usedBy(actions.size());
            case Launch.MatrixArgument matrix -> use(matrix.base());
            case Launch.TensorArgument tensor -> use(tensor.base());
            case Launch.Scalar _, Launch.ViewArgument _, Launch.ReportPointer _, Launch.ReportSubject _ -> {}
        }
    }

    private static void requireSignature(Launch launch, KernelSignature signature) {
        List<ParameterType> given =
                launch.arguments().stream().map(Launch.Argument::type).toList();
        boolean isRight = given.size() == signature.parameters().size();
        for (int i = 0; isRight && i < given.size(); i++) {
            isRight = stored(given.get(i)) == stored(signature.parameters().get(i));
        }
        if (!isRight) {
            throw new IllegalArgumentException(
                    "kernel " + launch.kernel() + " takes " + signature.parameters() + " and was given " + given);
        }
    }

    /** Compiled code does not tell pointers from other numbers of 64 bits. */
    private static ParameterType stored(ParameterType type) {
        return type == ParameterType.POINTER ? ParameterType.I64 : type;
    }

    /** Says that what was added since the last group, or the beginning, computes those nodes, in ascending order. */
    public void endGroup(List<Integer> nodes) {
        int start = groups.isEmpty() ? 0 : groups.getLast().endAction();
        if (actions.size() > start) {
            groups.add(new Group(List.copyOf(nodes), start, actions.size()));
        }
    }

    List<Action> actions() {
        return actions;
    }

    List<Group> groups() {
        return groups;
    }

    /** The launches, for tests. */
    public List<Launch> launches() {
        return actions.stream()
                .filter(Run.class::isInstance)
                .map(action -> ((Run) action).launch())
                .toList();
    }

    /** Offsets of all scratch memory, so that what is live at once does not overlap. */
    ScratchPlan planScratch() {
        List<Scratch> used = scratches.stream().filter(s -> s.last() >= 0).toList();
        IdentityHashMap<Scratch, Long> offsets = new IdentityHashMap<>();
        if (used.isEmpty()) {
            return new ScratchPlan(offsets, 0);
        }
        ProblemBuilder problem = Problem.builder();
        for (Scratch scratch : used) {
            long bytes = Math.ceilDiv(Math.max(1, scratch.bytes()), SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT;
            problem.add(scratch.first(), scratch.last() + 1L, bytes);
        }
        Solution solution =
                Packers.named("size").pack(problem.build(), Budget.steps(1)).solution();
        for (int i = 0; i < used.size(); i++) {
            offsets.put(used.get(i), solution.offset(i));
        }
        return new ScratchPlan(offsets, solution.height());
    }

    /**
     * Where scratch memory is stored.
     *
     * @param offsets by scratch
     * @param bytes how much all of it takes
     */
    record ScratchPlan(IdentityHashMap<Scratch, Long> offsets, long bytes) {}
}
