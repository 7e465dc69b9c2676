package dev.stowage.bench.ggml.graph;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.function.Function;

/**
 * Runs a graph of ours on ggml's CPU backend again and again, the way llama.cpp does: leaves in buffers of ggml's own,
 * weights repacked if that is wanted, nodes where ggml's graph allocator puts them, and threads that stay from run to
 * run. Between runs the threads can be paused, so that they do not take time from other measurements.
 *
 * <p>Belongs to one thread.
 */
public final class GgmlRunner implements AutoCloseable {

    private final GgmlLibrary library;
    private final Graph graph;
    private final GgmlMirror mirror;
    private final MemorySegment backend;
    private final MemorySegment threads;
    private final GgmlLeaves leaves;
    private final GgmlGraphAllocator allocator;
    private boolean closed;

    private GgmlRunner(GgmlLibrary library, Graph graph, int threadCount) {
        this.library = library;
        this.graph = graph;
        this.mirror = GgmlMirror.of(library, graph, id -> false);
        this.backend = library.backends().open(threadCount);
        this.threads = library.threads().create(threadCount);
        library.threads().use(backend, threads);
        this.leaves = new GgmlLeaves(mirror, backend);
        this.allocator = GgmlGraphAllocator.cpu(library);
    }

    /**
     * A graph made ready with all leaves in plain memory.
     *
     * @param contents the bytes of each leaf
     * @throws DeviceException if ggml does not compute one of the nodes
     */
    public static GgmlRunner plain(
            GgmlLibrary library, Graph graph, int threads, Function<Tensor, MemorySegment> contents) {
        GgmlRunner runner = new GgmlRunner(library, graph, threads);
        try {
            runner.makeReady(contents);
            return runner;
        } catch (RuntimeException | Error e) {
            runner.close();
            throw e;
        }
    }

    /** As {@link #plain}, with the weights that ggml can repack repacked; nothing if there are none. */
    public static Optional<GgmlRunner> repacked(
            GgmlLibrary library, Graph graph, int threads, Function<Tensor, MemorySegment> contents) {
        GgmlRunner runner = new GgmlRunner(library, graph, threads);
        try {
            if (runner.leaves.repack()) {
                runner.makeReady(contents);
                return Optional.of(runner);
            }
        } catch (RuntimeException | Error e) {
            runner.close();
            throw e;
        }
        runner.close();
        return Optional.empty();
    }

    private void makeReady(Function<Tensor, MemorySegment> contents) {
        GgmlCompute.describe(mirror);
        leaves.placeTheRest();
        leaves.fill(contents);
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (!library.backends().supports(backend, mirror.tensor(node))) {
                throw DeviceException.of("ggml", "compute", graph.tensor(node).describe(), "ggml does not support it");
            }
        }
        allocator.reserve(mirror);
        allocator.allocate(mirror);
        pause();
    }

    /** Has the threads rest until {@link #resume()}. */
    public void pause() {
        requireOpen();
        library.threads().pause(threads);
    }

    /** Has the threads watch for work. */
    public void resume() {
        requireOpen();
        library.threads().resume(threads);
    }

    /**
     * Computes all nodes.
     *
     * @throws DeviceException if ggml could not
     */
    public void run() {
        requireOpen();
        int status = library.backends().compute(backend, mirror.mirrored());
        if (status != 0) {
            throw DeviceException.of("ggml", "compute", "ggml's status is " + status);
        }
    }

    /** The bytes of a tensor that was computed and that no later node took the place of. */
    public byte[] bytes(Tensor tensor) {
        requireOpen();
        return mirror.tensor(graph.idOf(tensor)).bytes(tensor.byteSize()).toArray(ValueLayout.JAVA_BYTE);
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("the run of " + graph + " by ggml is closed");
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            allocator.close();
            library.backends().close(backend);
            library.threads().free(threads);
            leaves.close();
            mirror.close();
        }
    }
}
