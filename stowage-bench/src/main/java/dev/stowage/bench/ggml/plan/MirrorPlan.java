package dev.stowage.bench.ggml.plan;

import dev.stowage.bench.ggml.GgmlAllocatorFunctions;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.bench.ggml.graph.GgmlBufferType;
import dev.stowage.bench.ggml.graph.GgmlGraphAllocator;
import dev.stowage.bench.ggml.graph.GgmlMeasuringType;
import dev.stowage.bench.ggml.graph.GgmlMirror;
import dev.stowage.error.AllocationException;
import dev.stowage.error.InvalidPlanException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Where ggml put the tensors of a mirrored graph: the answer of ggml's own planner, as plain data by the ids of our
 * graph. The mirror is as before afterwards and can be planned again.
 */
public final class MirrorPlan {

    /** Stands for the buffer, chunk and offset of a tensor that is not in a planned buffer. */
    public static final int NOWHERE = -1;

    private final int[] buffers;
    private final int[] chunks;
    private final long[] offsets;
    private final long[] bufferSizes;

    private MirrorPlan(GgmlMirror mirror, GgmlGraphAllocator allocator) {
        int size = mirror.graph().size();
        this.buffers = new int[size];
        this.chunks = new int[size];
        this.offsets = new long[size];
        this.bufferSizes = new long[allocator.types().size()];
        for (int buffer = 0; buffer < bufferSizes.length; buffer++) {
            bufferSizes[buffer] = allocator.bufferSize(buffer);
        }
        for (int id = 0; id < size; id++) {
            read(mirror, id, allocator.types());
        }
    }

    /**
     * ggml's plan with everything in the processor's memory, which is really taken for a moment.
     *
     * @throws AllocationException if there is not enough
     */
    public static MirrorPlan of(GgmlMirror mirror) {
        return of(
                mirror,
                List.of(GgmlBufferType.cpu(mirror.library())),
                new int[mirror.graph().nodeCount()],
                new int[mirror.graph().leafCount()]);
    }

    /**
     * ggml's plan with each node and leaf in the buffer of that index.
     *
     * @throws InvalidPlanException if there is no type, an array has the wrong length or an index out of range, or a
     *     tensor takes more than its bytes
     * @throws AllocationException if there is not enough memory
     */
    public static MirrorPlan of(GgmlMirror mirror, List<GgmlBufferType> types, int[] nodeBuffers, int[] leafBuffers) {
        for (GgmlBufferType type : types) {
            if (type instanceof GgmlMeasuringType measuring) {
                measuring.requirePlainSizes(mirror.graph());
            }
        }
        try (GgmlGraphAllocator allocator = GgmlGraphAllocator.of(mirror.library(), types)) {
            allocator.reserve(mirror, nodeBuffers, leafBuffers);
            allocator.allocate(mirror);
            return new MirrorPlan(mirror, allocator);
        } finally {
            mirror.forgetPlaces();
        }
    }

    private void read(GgmlMirror mirror, int id, List<GgmlBufferType> types) {
        GgmlTensor tensor = mirror.tensor(id);
        MemorySegment buffer = tensor.buffer();
        if (buffer.equals(MemorySegment.NULL)) {
            buffers[id] = NOWHERE;
            chunks[id] = NOWHERE;
            offsets[id] = NOWHERE;
            return;
        }
        GgmlAllocatorFunctions functions = mirror.library().functions().allocators();
        long type = functions.type(buffer).address();
        for (int i = 0; i < types.size(); i++) {
            if (types.get(i).address().address() == type) {
                buffers[id] = i;
            }
        }
        chunks[id] = types.get(buffers[id]).chunk(buffer);
        offsets[id] = tensor.data() - functions.base(buffer);
    }

    /** Whether that tensor is in a planned buffer; views are where their source is. */
    public boolean isPlaced(int id) {
        return buffers[id] != NOWHERE;
    }

    /** The buffer of a tensor; where the same type is listed twice, its last position in the list. */
    public int buffer(int id) {
        return buffers[id];
    }

    /** The chunk of its buffer that holds a tensor. */
    public int chunk(int id) {
        return chunks[id];
    }

    /** Where in its chunk a tensor begins. */
    public long offset(int id) {
        return offsets[id];
    }

    /** The bytes of a buffer with all its chunks; 0 if an earlier one is the same memory. */
    public long bufferSize(int buffer) {
        return bufferSizes[buffer];
    }

    /** The bytes of all buffers. */
    public long totalSize() {
        return Arrays.stream(bufferSizes).sum();
    }
}
