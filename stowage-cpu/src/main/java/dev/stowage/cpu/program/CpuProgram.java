package dev.stowage.cpu.program;

import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.cpu.team.ThreadTeam;
import dev.stowage.device.Backend;
import dev.stowage.device.RunListener;
import dev.stowage.device.Step;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A graph made ready to run: a list of tasks in which everything is decided, and the scratch memory they need. Running it
 * is a loop over that list, which looks nothing up and creates no garbage.
 */
public final class CpuProgram implements AutoCloseable {

    private final BoundGraph graph;
    private final ParallelTask[] tasks;
    private final Step[] owners;
    private final NodeGroup[] groups;
    private final Buffer scratch;

    public CpuProgram(
            BoundGraph graph,
            ParallelTask[] tasks,
            Step[] owners,
            NodeGroup[] groups,
            List<Scratch> scratches,
            long scratchBytes) {
        this.graph = graph;
        this.tasks = tasks;
        this.owners = owners;
        this.groups = groups;
        this.scratch = HostBufferType.standard().withName("cpu scratch").allocate(scratchBytes);
        for (Scratch each : scratches) {
            each.placeAt(scratch.address() + each.address());
        }
    }

    /** Prepares a graph. */
    public static CpuProgram of(BoundGraph graph, OpKernels kernels, Fusions fusions, int threads) {
        return of(graph, kernels, fusions, threads, Long.MAX_VALUE);
    }

    /**
     * Prepares a graph with at most that many bytes of scratch memory.
     *
     * @throws dev.stowage.error.AllocationException if it needs more; none has been allocated then
     */
    public static CpuProgram of(BoundGraph graph, OpKernels kernels, Fusions fusions, int threads, long scratchLimit) {
        return new ProgramBuilder(graph, kernels, fusions, threads).build(scratchLimit);
    }

    /** The graph that runs. */
    public BoundGraph graph() {
        return graph;
    }

    /** How many tasks there are. */
    public int taskCount() {
        return tasks.length;
    }

    /** The bytes of memory it needs beside its tensors. */
    public long scratchBytes() {
        return scratch.size();
    }

    /**
     * Runs the graph on a team.
     *
     * @param device the name to put into messages
     * @param abort asked before every node; the run stops when it says so
     */
    public void run(ThreadTeam team, String device, BooleanSupplier abort) {
        requireOpen();
        boolean begun = false;
        int task = 0;
        try {
            for (; task < tasks.length; task++) {
                ParallelTask next = tasks[task];
                if (abort.getAsBoolean()) {
                    throw stopped(owners[task].result().tensor(), device);
                }
                if (!begun && next.pieces() > 1) {
                    team.begin();
                    begun = true;
                }
                team.run(next);
            }
        } catch (DeviceException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failed(owners[task].result().tensor(), device, e);
        } finally {
            if (begun) {
                team.end();
            }
        }
    }

    /**
     * Runs the graph on a team, and reports every node to a listener, or nodes that were fused, as soon as it has run. The
     * loop is one of its own, so that runs without a listener do not pay for it.
     *
     * @param backend on whose behalf it runs
     * @param abort asked before every node; the run stops when it says so
     */
    public void run(ThreadTeam team, Backend backend, BooleanSupplier abort, RunListener listener) {
        requireOpen();
        boolean begun = false;
        int group = 0;
        int task = 0;
        try {
            for (; group < groups.length; group++) {
                long start = System.nanoTime();
                for (; task < groups[group].endTask(); task++) {
                    ParallelTask next = tasks[task];
                    if (abort.getAsBoolean()) {
                        throw stopped(owners[task].result().tensor(), backend.name());
                    }
                    if (!begun && next.pieces() > 1) {
                        team.begin();
                        begun = true;
                    }
                    team.run(next);
                }
                listener.computed(backend, groups[group].nodes(), start, System.nanoTime());
            }
        } catch (DeviceException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failed(groups[group].nodes().getLast(), backend.name(), e);
        } finally {
            if (begun) {
                team.end();
            }
        }
    }

    private static DeviceException stopped(Tensor node, String device) {
        return DeviceException.of(device, "compute", node.describe(), "the caller asked to stop before this node");
    }

    private static DeviceException failed(Tensor node, String device, RuntimeException e) {
        return DeviceException.of(device, "compute", node.describe(), String.valueOf(e.getMessage()))
                .because(e);
    }

    private void requireOpen() {
        if (scratch.isClosed()) {
            throw new ClosedException("the prepared graph is closed; prepare it again");
        }
    }

    @Override
    public void close() {
        scratch.close();
    }
}
