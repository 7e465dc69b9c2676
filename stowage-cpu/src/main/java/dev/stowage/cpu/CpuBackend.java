package dev.stowage.cpu;

import dev.stowage.cpu.program.CpuProgram;
import dev.stowage.cpu.program.Fusions;
import dev.stowage.cpu.program.OpKernels;
import dev.stowage.cpu.team.ThreadTeam;
import dev.stowage.cpu.team.Workers;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.PreparedGraph;
import dev.stowage.device.RunListener;
import dev.stowage.plan.BoundGraph;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs graphs synchronously on the calling thread and on workers that all backends of the process share. Closing it
 * closes the graphs that were prepared on it.
 */
final class CpuBackend extends Backend {

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    /** One set of threads for all backends: more threads than processors only get in each other's way. */
    private static final Workers WORKERS = new Workers(Runtime.getRuntime().availableProcessors(), "stowage-cpu");

    /** The most threads that a warning was logged for, so that it is not repeated with every session. */
    private static final AtomicInteger WARNED = new AtomicInteger();

    private final OpKernels kernels;
    private final Fusions fusions;
    private final BooleanSupplier abort;
    private final LongSupplier scratchLimit;
    private final @Nullable RunListener listener;
    private final ThreadTeam team;

    CpuBackend(CpuDevice device, BackendOptions options, OpKernels kernels, Fusions fusions) {
        super(device);
        this.kernels = kernels;
        this.fusions = fusions;
        this.abort = options.abort();
        this.scratchLimit = options.scratchLimit();
        this.listener = options.listener().orElse(null);
        this.team = new ThreadTeam(WORKERS, threads(options));
    }

    private static int threads(BackendOptions options) {
        int wanted = options.threads() == 0 ? Processor.physicalCores() : options.threads();
        int most = WORKERS.processors();
        if (wanted > most && WARNED.getAndAccumulate(wanted, Math::max) < wanted) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    wanted + " threads were asked for, but the process has " + most
                            + (most == 1 ? " processor" : " processors") + ": " + most + " will be used");
        }
        return Math.min(wanted, most);
    }

    @Override
    protected void doCompute(BoundGraph graph) {
        try (CpuProgram program = program(graph)) {
            run(program);
        }
    }

    private void run(CpuProgram program) {
        RunListener notified = listener;
        if (notified == null) {
            program.run(team, name(), abort);
        } else {
            program.run(team, this, abort, notified);
        }
    }

    private CpuProgram program(BoundGraph graph) {
        return CpuProgram.of(graph, kernels, fusions, team.threads(), scratchLimit.getAsLong());
    }

    @Override
    protected PreparedGraph doPrepare(BoundGraph graph) {
        return new Prepared(program(graph));
    }

    @Override
    protected void doClose() {
        team.close();
    }

    /** A program that stays. */
    private final class Prepared extends PreparedGraph {

        private CpuProgram program;

        Prepared(CpuProgram program) {
            super(CpuBackend.this, program.graph());
            this.program = program;
        }

        @Override
        public long scratchBytes() {
            return program.scratchBytes();
        }

        @Override
        protected void doCompute() {
            CpuBackend.this.run(program);
        }

        @Override
        protected void doUpdate(BoundGraph newGraph) {
            CpuProgram before = program;
            program = program(newGraph);
            before.close();
        }

        @Override
        protected void doClose() {
            program.close();
        }
    }
}
