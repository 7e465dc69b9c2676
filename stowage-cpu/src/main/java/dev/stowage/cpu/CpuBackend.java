package dev.stowage.cpu;

import dev.stowage.cpu.program.Fusions;
import dev.stowage.cpu.program.OpKernels;
import dev.stowage.cpu.program.Program;
import dev.stowage.cpu.team.ThreadTeam;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.PreparedGraph;
import dev.stowage.device.RunListener;
import dev.stowage.plan.BoundGraph;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Runs graphs on a team of threads of its own; everything is done when a call returns. */
final class CpuBackend extends Backend {

    private final OpKernels kernels;
    private final Fusions fusions;
    private final BooleanSupplier abort;
    private final @Nullable RunListener listener;
    private final ThreadTeam team;

    CpuBackend(CpuDevice device, BackendOptions options, OpKernels kernels, Fusions fusions) {
        super(device);
        this.kernels = kernels;
        this.fusions = fusions;
        this.abort = options.abort();
        this.listener = options.listener().orElse(null);
        int threads = options.threads() == 0 ? Processor.physicalCores() : options.threads();
        this.team = new ThreadTeam(threads, device.name() + id());
    }

    @Override
    protected void run(BoundGraph graph) {
        try (Program program = program(graph)) {
            run(program);
        }
    }

    private void run(Program program) {
        RunListener told = listener;
        if (told == null) {
            program.run(team, name(), abort);
        } else {
            program.run(team, this, abort, told);
        }
    }

    private Program program(BoundGraph graph) {
        return Program.of(graph, kernels, fusions, team.threads());
    }

    @Override
    protected PreparedGraph prepareGraph(BoundGraph graph) {
        return new Prepared(program(graph));
    }

    @Override
    protected void release() {
        team.close();
    }

    /** A program that stays. */
    private final class Prepared extends PreparedGraph {

        private Program program;

        Prepared(Program program) {
            super(CpuBackend.this, program.graph());
            this.program = program;
        }

        @Override
        protected void run() {
            CpuBackend.this.run(program);
        }

        @Override
        protected void replace(BoundGraph newGraph) {
            Program before = program;
            program = program(newGraph);
            before.close();
        }

        @Override
        protected void release() {
            program.close();
        }
    }
}
