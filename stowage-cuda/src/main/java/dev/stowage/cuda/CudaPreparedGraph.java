package dev.stowage.cuda;

import dev.stowage.cuda.program.Program;
import dev.stowage.device.PreparedGraph;
import dev.stowage.plan.BoundGraph;

/** A graph as a program that stays: launched one by one when it first runs, as a captured CUDA graph from then on. */
final class CudaPreparedGraph extends PreparedGraph {

    private final ProgramRunner runner;
    private Program program;

    CudaPreparedGraph(CudaBackend backend, ProgramRunner runner, BoundGraph graph) {
        super(backend, graph);
        this.runner = runner;
        this.program = runner.compile(graph);
    }

    @Override
    protected void doCompute() {
        runner.run(program, graph());
    }

    @Override
    protected void doUpdate(BoundGraph newGraph) {
        Program next = runner.compile(newGraph);
        runner.close(program);
        program = next;
    }

    /** The driver keeps a captured graph until its launches are done. */
    @Override
    protected void doClose() {
        runner.close(program);
    }
}
