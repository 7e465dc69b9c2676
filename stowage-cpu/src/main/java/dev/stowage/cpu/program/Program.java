package dev.stowage.cpu.program;

import dev.stowage.cpu.team.Task;
import dev.stowage.cpu.team.ThreadTeam;
import dev.stowage.device.Backend;
import dev.stowage.device.RunListener;
import dev.stowage.device.Step;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * A graph made ready to run: a list of tasks in which everything is decided, and the scratch memory they need. Running it
 * is a loop over that list, which looks nothing up and creates no garbage.
 */
public final class Program implements AutoCloseable {

    /** The bit of {@code state} that says closed; the others count runs under way. */
    private static final int CLOSED = Integer.MIN_VALUE;

    private final Graph graph;
    private final Task[] tasks;
    private final Step[] owners;
    private final NodeGroup[] groups;
    private final Buffer[] buffers;
    private final Buffer scratch;
    private final AtomicInteger state = new AtomicInteger();

    Program(
            Graph graph,
            Task[] tasks,
            Step[] owners,
            NodeGroup[] groups,
            Buffer[] buffers,
            List<Scratch> scratches,
            long scratchBytes) {
        this.graph = graph;
        this.tasks = tasks;
        this.owners = owners;
        this.groups = groups;
        this.buffers = buffers;
        this.scratch = HostBufferType.standard().withName("cpu scratch").allocate(scratchBytes);
        for (Scratch each : scratches) {
            each.placeAt(scratch.address() + each.address());
        }
    }

    /** Prepares a graph whose tensors have their places. */
    public static Program of(Graph graph, OpKernels kernels, Fusions fusions, int threads) {
        return new ProgramBuilder(graph, kernels, fusions, threads).build();
    }

    /** The graph that runs. */
    public Graph graph() {
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
        requireBuffers();
        acquire();
        int task = 0;
        team.begin();
        try {
            for (; task < tasks.length; task++) {
                Task next = tasks[task];
                if (abort.getAsBoolean()) {
                    throw stopped(owners[task].result(), device);
                }
                team.run(next);
            }
        } catch (DeviceException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failed(owners[task].result(), device, e);
        } finally {
            team.end();
            release();
        }
    }

    /**
     * Runs the graph on a team, and tells a listener of every node, or nodes that were fused, as soon as it has run. The
     * loop is one of its own, so that runs without a listener do not pay for it.
     *
     * @param backend on whose behalf it runs
     * @param abort asked before every node; the run stops when it says so
     */
    public void run(ThreadTeam team, Backend backend, BooleanSupplier abort, RunListener listener) {
        requireBuffers();
        acquire();
        int group = 0;
        int task = 0;
        team.begin();
        try {
            for (; group < groups.length; group++) {
                long start = System.nanoTime();
                for (; task < groups[group].endTask(); task++) {
                    Task next = tasks[task];
                    if (abort.getAsBoolean()) {
                        throw stopped(owners[task].result(), backend.name());
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
            team.end();
            release();
        }
    }

    private static DeviceException stopped(Tensor node, String device) {
        return DeviceException.of(device, "compute", node.describe(), "the caller asked to stop before this node");
    }

    private static DeviceException failed(Tensor node, String device, RuntimeException e) {
        return DeviceException.of(device, "compute", node.describe(), String.valueOf(e.getMessage()))
                .because(e);
    }

    private void requireBuffers() {
        for (Buffer buffer : buffers) {
            if (buffer.isClosed()) {
                throw new ClosedException("a buffer of " + buffer.name()
                        + " that the prepared graph reads or writes is closed; bind the graph and prepare it again");
            }
        }
    }

    /** Holds the scratch memory for a run. */
    private void acquire() {
        int runs = state.get();
        while (runs >= 0 && !state.compareAndSet(runs, runs + 1)) {
            runs = state.get();
        }
        if (runs < 0) {
            throw new ClosedException("the prepared graph is closed; prepare it again");
        }
    }

    private void release() {
        if (state.decrementAndGet() == CLOSED) {
            scratch.close();
        }
    }

    /**
     * Gives back the scratch memory, at once or, where a run is under way in another thread, when that has come to its
     * end; does not wait for it. Closing twice is fine.
     */
    @Override
    public void close() {
        if (state.getAndUpdate(runs -> runs | CLOSED) == 0) {
            scratch.close();
        }
    }
}
