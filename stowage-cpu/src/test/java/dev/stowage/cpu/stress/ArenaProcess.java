package dev.stowage.cpu.stress;

import dev.stowage.cpu.CpuProvider;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.LinearAllocator;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The main class of a process in which a thread closes the arena under a buffer while another computes in it, again and
 * again: in every other round in the middle of a run, else at any time. Prints how often each was refused.
 */
public final class ArenaProcess {

    private static final int WIDTH = 1 << 15;
    private static final long BYTES = 16L * WIDTH;

    /** So much that it is mapped by itself, and is gone from the address space when it is freed. */
    private static final long MAPPED_BYTES = 64L << 20;

    private static Runnable beforeNode = () -> {};
    private static int refusedCloses;
    private static int refusedRuns;

    private ArenaProcess() {}

    /** Takes the number of rounds. */
    public static void main(String[] args) throws InterruptedException {
        BackendOptions options = BackendOptions.defaults().withAbort(() -> {
            beforeNode.run();
            return false;
        });
        try (Backend backend = new CpuProvider().devices().getFirst().open(options)) {
            for (int round = 0; round < Integer.parseInt(args[0]); round++) {
                round(backend, round == 0 ? MAPPED_BYTES : BYTES, round % 2 == 0);
            }
        }
        System.out.println("closes refused: " + refusedCloses);
        System.out.println("runs refused: " + refusedRuns);
        System.exit(0);
    }

    private static void round(Backend backend, long bytes, boolean inRun) throws InterruptedException {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.tensor(ElementType.F32, WIDTH);
        Tensor y = b.exp(x);
        Graph graph = b.build(y);
        Arena arena = Arena.ofShared();
        MemorySegment segment = arena.allocate(bytes, 64);
        Thread closing = Thread.ofPlatform().unstarted(() -> close(arena));
        beforeNode = inRun ? () -> start(closing, arena) : () -> {};
        try (Buffer buffer = HostBuffer.over(segment)) {
            LinearAllocator memory = new LinearAllocator(buffer);
            memory.allocate(x);
            memory.allocate(y);
            if (!inRun) {
                closing.start();
            }
            backend.compute(BoundGraph.of(graph));
        } catch (StowageException _) {
            refusedRuns++;
        }
        closing.join();
        if (arena.scope().isAlive()) {
            refusedCloses++;
            arena.close();
        }
    }

    /** Closes the arena in the middle of a run, if it can be closed. */
    private static void start(Thread closing, Arena arena) {
        closing.start();
        try {
            closing.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (!arena.scope().isAlive()) {
            System.out.println("an arena was closed during a run");
        }
    }

    private static void close(Arena arena) {
        try {
            arena.close();
        } catch (IllegalStateException _) {
            // The buffer over it is in use.
        }
    }
}
