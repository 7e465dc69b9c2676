package dev.stowage.cpu.program;

import dev.stowage.cpu.team.Task;
import dev.stowage.cpu.team.ThreadTeam;
import dev.stowage.device.Step;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A graph made ready to run: a list of tasks in which everything is decided, and the scratch memory they need. Running it
 * is a loop over that list, which looks nothing up and creates no garbage.
 */
public final class Program implements AutoCloseable {

    private final Graph graph;
    private final Task[] tasks;
    private final Step[] owners;
    private final Buffer[] buffers;
    private final Buffer scratch;

    Program(Graph graph, Task[] tasks, Step[] owners, Buffer[] buffers, List<Scratch> scratches, long scratchBytes) {
        this.graph = graph;
        this.tasks = tasks;
        this.owners = owners;
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
        boolean begun = false;
        int task = 0;
        try {
            for (; task < tasks.length; task++) {
                Task next = tasks[task];
                if (abort.getAsBoolean()) {
                    throw DeviceException.of(
                            device,
                            "compute",
                            owners[task].result().describe(),
                            "the caller asked to stop before this node");
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
            throw DeviceException.of(
                            device, "compute", owners[task].result().describe(), String.valueOf(e.getMessage()))
                    .because(e);
        } finally {
            if (begun) {
                team.end();
            }
        }
    }

    private void requireBuffers() {
        for (Buffer buffer : buffers) {
            if (buffer.isClosed()) {
                throw new ClosedException("a buffer of " + buffer.name()
                        + " that the prepared graph reads or writes is closed; bind the graph and prepare it again");
            }
        }
        if (scratch.isClosed()) {
            throw new ClosedException("the prepared graph is closed; prepare it again");
        }
    }

    @Override
    public void close() {
        scratch.close();
    }
}
