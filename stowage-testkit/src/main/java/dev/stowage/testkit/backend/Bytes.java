package dev.stowage.testkit.backend;

import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/** Bytes to write, and bytes read back. */
final class Bytes {

    private Bytes() {}

    /** That many bytes, others for each seed. */
    static byte[] random(int count, long seed) {
        byte[] bytes = new byte[count];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    static void write(BoundTensor tensor, byte[] bytes) {
        tensor.set(0, MemorySegment.ofArray(bytes));
    }

    /** Writes a tensor with memory of its own. */
    static void write(Tensor tensor, byte[] bytes) {
        write(BoundTensor.of(tensor), bytes);
    }

    static byte[] read(BoundTensor tensor) {
        byte[] bytes = new byte[Math.toIntExact(tensor.byteSize())];
        tensor.get(0, MemorySegment.ofArray(bytes));
        return bytes;
    }

    /** Reads a tensor with memory of its own. */
    static byte[] read(Tensor tensor) {
        return read(BoundTensor.of(tensor));
    }
}
