package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver.Stream;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.cuda.program.HostWrite;
import dev.stowage.cuda.program.IndexReport;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.cuda.program.Program;
import dev.stowage.cuda.program.ScratchPool;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.OpSupport;
import dev.stowage.device.RunListener;
import dev.stowage.error.AllocationException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes programs of graphs and runs them in a stream, with what the caller of the backend wants around it: to stop a run
 * between nodes, or to know when each node ran. Used by one thread at a time.
 */
final class ProgramRunner implements AutoCloseable {

    private final CudaDevice device;
    private final DeviceContext context;
    private final Backend backend;
    private final Stream stream;
    private final ScratchPool scratch;
    private final IndexReport report;
    private final HostWrite inputs;
    private final BooleanSupplier abort;
    private final LongSupplier scratchLimit;
    private final @Nullable RunListener listener;

    ProgramRunner(CudaDevice device, Backend backend, BackendOptions options, Stream stream, HostWrite inputs) {
        this.device = device;
        this.context = device.context();
        this.backend = backend;
        this.stream = stream;
        this.scratch = new ScratchPool(context, stream);
        this.report = new IndexReport(context);
        this.inputs = inputs;
        this.abort = options.abort();
        this.scratchLimit = options.scratchLimit();
        this.listener = options.listener().orElse(null);
    }

    /**
     * A program for a graph.
     *
     * @throws StowageException if there is no kernel for a node, kernels cannot be loaded, or the program needs more scratch
     *     memory than it may have
     */
    Program compile(BoundGraph graph) {
        requireSupport(graph.graph());
        try {
            LaunchList launches = device.compiler().compile(graph, device.gpu());
            Program program = new Program(
                    context.driver(), context.handle(), device.kernels(), scratch, report, inputs, launches);
            requireScratch(program);
            return program;
        } catch (CudaException e) {
            throw context.failure("prepare", e);
        } catch (StowageException e) {
            throw e;
        } catch (RuntimeException e) {
            throw DeviceException.of(device.name(), "prepare", String.valueOf(e.getMessage()))
                    .because(e);
        }
    }

    private void requireScratch(Program program) {
        long limit = scratchLimit.getAsLong();
        if (program.scratchBytes() > limit) {
            close(program);
            throw new AllocationException(
                    "the graph needs " + program.scratchBytes() + " bytes of scratch memory of " + device.name()
                            + ", and may have " + limit,
                    device.name(),
                    program.scratchBytes(),
                    limit);
        }
    }

    private void requireSupport(Graph graph) {
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (graph.isComputed(node) && !graph.isViewOp(node)) {
                OpSupport support = device.supports(graph.node(node));
                if (!support.isSupported()) {
                    throw DeviceException.of(
                            device.name(), "compute", graph.node(node).describe(), support.reason());
                }
            }
        }
    }

    /** Runs a graph once, asking before each node whether to go on. */
    void compute(BoundGraph graph) {
        Program program = compile(graph);
        try {
            if (listener != null) {
                run(program, graph);
            } else {
                submit(program, new AbortChecks(graph));
            }
        } finally {
            close(program);
        }
    }

    /** Runs a program, asking once whether to go on: captured graphs cannot be stopped. */
    void run(Program program, BoundGraph graph) {
        RunListener notified = listener;
        if (notified != null) {
            submitInputs();
            try (GroupTimes times = new GroupTimes(context, stream)) {
                times.begin();
                submit(program, times.around(new AbortChecks(graph)));
                times.report(backend, graph, notified);
            }
            return;
        }
        if (abort.getAsBoolean()) {
            throw stopped(graph, 0);
        }
        submit(program, null);
    }

    /** Puts the transfer that waits into the stream before work that is measured. */
    private void submitInputs() {
        try {
            inputs.submit();
        } catch (CudaException e) {
            throw context.failure("set", e);
        }
    }

    private void submit(Program program, Program.@Nullable GroupListener groups) {
        try {
            if (groups == null) {
                program.run(stream);
            } else {
                program.run(stream, groups);
            }
        } catch (CudaException e) {
            throw context.failure("compute", e);
        }
    }

    /** Asks before the launches of each group of nodes whether to go on. */
    private final class AbortChecks implements Program.GroupListener {

        private final BoundGraph graph;

        AbortChecks(BoundGraph graph) {
            this.graph = graph;
        }

        @Override
        public void before(List<Integer> nodes) {
            if (abort.getAsBoolean()) {
                throw stopped(graph, nodes.getFirst());
            }
        }

        @Override
        public void after(List<Integer> nodes) {}
    }

    private DeviceException stopped(BoundGraph bound, int node) {
        String what = "the caller asked to stop before this node";
        if (bound.graph().nodeCount() == 0) {
            return DeviceException.of(device.name(), "compute", what);
        }
        Tensor next = bound.graph().node(node);
        return DeviceException.of(device.name(), "compute", next.describe(), what);
    }

    /** Releases a program; never throws. */
    void close(Program program) {
        if (context.health().lossCause().isPresent()) {
            program.abandon();
            return;
        }
        try {
            program.close();
        } catch (CudaException e) {
            // What it is about is given back when the context is; a loss shows in the next call.
            context.failure("close", e);
        }
    }

    /**
     * Checks that runs which have ended found all rows that tensors named.
     *
     * @throws DeviceException if one was named that there is none of; once for all runs before
     */
    void requireRowsFound() {
        Optional<IndexReport.Finding> found = report.take();
        if (found.isPresent()) {
            throw DeviceException.of(
                    device.name(), "compute", found.get().subject(), found.get().text());
        }
    }

    /** Releases the scratch memory; the stream is done. Never throws. */
    @Override
    public void close() {
        scratch.close();
        report.close();
    }
}
