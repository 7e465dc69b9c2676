package dev.stowage.bench.ggml.graph;

import dev.stowage.bench.ggml.GgmlBackendFunctions;
import dev.stowage.bench.ggml.GgmlOpParameters;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.graph.Graph;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Runs a graph of ours on ggml's CPU backend: every tensor of its mirror gets bytes of its own, the leaves are filled
 * by the caller, ggml computes the nodes on one thread, and any tensor can be read afterwards.
 *
 * <p>A graph that breaks a rule of ggml's ends the process: ggml's answer to that is to abort. Ask {@link #supports}
 * first, which keeps away most of it. Belongs to one thread, and to a mirror that must not be planned meanwhile.
 */
public final class GgmlCompute implements AutoCloseable {

    /** At least what ggml's vector code asks for, and a gap after each tensor for what it reads too far. */
    private static final long ALIGNMENT = 64;

    private final GgmlMirror mirror;
    private final Graph graph;
    private final GgmlBackendFunctions functions;
    private final Arena arena = Arena.ofConfined();
    private final long[] offsets;
    private final MemorySegment memory;
    private final MemorySegment backend;
    private final MemorySegment buffer;
    private boolean closed;

    private GgmlCompute(GgmlMirror mirror) {
        this.mirror = mirror;
        this.graph = mirror.graph();
        this.functions = mirror.library().backends();
        this.offsets = new long[graph.size()];
        this.memory = arena.allocate(layOut(), ALIGNMENT);
        this.backend = functions.open(1);
        this.buffer = functions.bufferOver(memory);
    }

    /**
     * Gives every tensor of a mirror its memory and its parameters.
     *
     * @throws InvalidTensorException if a node is computed by a function of the caller's
     * @throws AccessException if a tensor is fixed, and so has memory that ggml cannot use
     */
    public static GgmlCompute of(GgmlMirror mirror) {
        GgmlCompute compute = new GgmlCompute(mirror);
        try {
            describe(mirror);
            compute.place();
            return compute;
        } catch (RuntimeException | Error e) {
            compute.close();
            throw e;
        }
    }

    private long layOut() {
        long end = 0;
        for (int id = 0; id < offsets.length; id++) {
            if (graph.viewSource(id) == Graph.NO_ID) {
                offsets[id] = end;
                end += Math.ceilDiv(graph.tensor(id).byteSize(), ALIGNMENT) * ALIGNMENT + ALIGNMENT;
            }
        }
        return end;
    }

    /** Gives the nodes of a mirror the parameters of their ops. */
    static void describe(GgmlMirror mirror) {
        GgmlOpParameters parameters = mirror.library().opParameters();
        for (int id = 0; id < mirror.graph().nodeCount(); id++) {
            GgmlTensor node = mirror.tensor(id);
            parameters.write(mirror.graph().tensor(id), node);
            node.setFlags(node.flags() | GgmlTensor.FLAG_COMPUTE);
        }
    }

    private void place() {
        for (int id = 0; id < offsets.length; id++) {
            if (mirror.isFixed(id)) {
                throw new AccessException(graph.tensor(id).describe()
                        + " is fixed and has no memory that ggml could use: mirror the graph with none fixed");
            }
            if (graph.viewSource(id) == Graph.NO_ID) {
                requireDone("place", id, functions.place(buffer, mirror.tensor(id), memory.asSlice(offsets[id])));
            }
        }
        for (int id = 0; id < offsets.length; id++) {
            if (graph.viewSource(id) != Graph.NO_ID) {
                requireDone("place", id, functions.placeView(mirror.tensor(id)));
            }
        }
    }

    private void requireDone(String call, int id, int status) {
        if (status != 0) {
            throw DeviceException.of("ggml", call, graph.tensor(id).describe(), "ggml's status is " + status);
        }
    }

    /** Whether ggml's CPU backend says that it can compute that node. */
    public boolean supports(int node) {
        requireOpen();
        return functions.supports(backend, mirror.tensor(node));
    }

    /** The bytes of a tensor, to be written before a run and read after it. */
    public MemorySegment bytes(int id) {
        requireOpen();
        int viewSource = graph.viewSource(id);
        long start = viewSource == Graph.NO_ID
                ? offsets[id]
                : offsets[viewSource] + graph.tensor(id).viewOffset();
        return memory.asSlice(start, graph.tensor(id).byteSize());
    }

    /** Fills all memory with one byte, so that a result that is not written shows. */
    public void fill(byte value) {
        requireOpen();
        memory.fill(value);
    }

    /**
     * Computes all nodes.
     *
     * @throws DeviceException if ggml could not
     */
    public void run() {
        requireOpen();
        int status = functions.compute(backend, mirror.mirrored());
        if (status != 0) {
            throw DeviceException.of("ggml", "compute", "ggml's status is " + status);
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("the computation of " + graph + " by ggml is closed");
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            functions.freeBuffer(buffer);
            functions.close(backend);
            arena.close();
            mirror.forgetPlaces();
        }
    }
}
