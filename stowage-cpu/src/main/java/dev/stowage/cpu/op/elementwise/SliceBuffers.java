package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Scratch;

/** Memory of each thread for a slice of two operands and of the result as floats, and of the result in 16 bits. */
final class SliceBuffers {

    private static final long FLOATS = (long) ElementLoop.SLICE * Float.BYTES;

    private final Scratch scratch;

    SliceBuffers(NodeBuilder node) {
        this.scratch = node.scratchPerThread(3 * FLOATS + (long) ElementLoop.SLICE * Short.BYTES);
    }

    long a(int thread) {
        return scratch.address(thread);
    }

    long b(int thread) {
        return scratch.address(thread) + FLOATS;
    }

    long result(int thread) {
        return scratch.address(thread) + 2 * FLOATS;
    }

    long packed(int thread) {
        return scratch.address(thread) + 3 * FLOATS;
    }
}
