package dev.stowage.testkit.backend;

import dev.stowage.memory.Buffer;
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

    static void write(Tensor tensor, byte[] bytes) {
        Buffer.of(tensor).set(tensor, 0, MemorySegment.ofArray(bytes));
    }

    static byte[] read(Tensor tensor) {
        byte[] bytes = new byte[Math.toIntExact(tensor.byteSize())];
        Buffer.of(tensor).get(tensor, 0, MemorySegment.ofArray(bytes));
        return bytes;
    }
}
