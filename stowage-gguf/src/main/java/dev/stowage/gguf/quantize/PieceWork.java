package dev.stowage.gguf.quantize;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Converts pieces of tensors to another type, in memory of its own: each thread has one. A piece is a whole number of
 * blocks of any type, and blocks do not depend on each other, so that pieces can be done in any order.
 */
final class PieceWork implements AutoCloseable {

    /** How many elements a piece has, a multiple of all block sizes. */
    static final int ELEMENTS = 1 << 18;

    private static final long MOST_BYTES = (long) ELEMENTS * Double.BYTES;

    /** No scale of a block exceeds twice its largest number, so that below this none overflows f16. */
    private static final float HARMLESS = 16_384;

    private final GgufFile source;
    private final GgufWriter target;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment read = arena.allocate(MOST_BYTES, Long.BYTES);
    private final MemorySegment written = arena.allocate(MOST_BYTES, Long.BYTES);
    private final float[] floats = new float[ELEMENTS];
    private final float[] check = new float[ELEMENTS];

    PieceWork(GgufFile source, GgufWriter target) {
        this.source = source;
        this.target = target;
    }

    /** Does one piece, and says how many bytes it read. */
    long convert(GgufTensor tensor, ElementType type, long first) {
        int count = (int) Math.min(ELEMENTS, tensor.shape().elements() - first);
        MemorySegment from = read.asSlice(0, tensor.type().rowBytes(count));
        source.read(tensor, tensor.type().rowBytes(first), from);
        if (type == tensor.type()) {
            target.write(tensor.name(), type.rowBytes(first), from);
        } else {
            MemorySegment to = written.asSlice(0, type.rowBytes(count));
            BlockFormat.of(tensor.type()).dequantize(from, 0, floats, 0, count);
            float largest = largest(tensor, first, count);
            BlockFormat.of(type).quantize(floats, 0, count, to, 0);
            if (largest > HARMLESS) {
                requireFinite(tensor, type, first, count, to);
            }
            target.write(tensor.name(), type.rowBytes(first), to);
        }
        return from.byteSize();
    }

    private float largest(GgufTensor tensor, long first, int count) {
        float largest = 0;
        for (int i = 0; i < count; i++) {
            float magnitude = Math.abs(floats[i]);
            if (!(magnitude < Float.POSITIVE_INFINITY)) {
                throw new InvalidTensorException("element " + (first + i) + " of tensor "
                        + tensor.spec().describe() + " is " + floats[i] + ", which cannot be quantised");
            }
            largest = Math.max(largest, magnitude);
        }
        return largest;
    }

    private void requireFinite(GgufTensor tensor, ElementType type, long first, int count, MemorySegment blocks) {
        BlockFormat.of(type).dequantize(blocks, 0, check, 0, count);
        for (int i = 0; i < count; i++) {
            if (!Float.isFinite(check[i])) {
                throw new InvalidTensorException("element " + (first + i) + " of tensor "
                        + tensor.spec().describe() + " is " + floats[i] + ", which is too large for " + type
                        + ": choose BF16 or F32");
            }
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
