package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.kernel.math.BinaryLoop;
import dev.stowage.cpu.kernel.math.UnaryLoop;

/** Runs of a function of two numbers. */
final class BinaryElementLoop implements ElementLoop {

    private final BinaryLoop loop;
    private final double nanosPerElement;
    private final FloatReader first;
    private final FloatReader second;
    private final FloatWriter writer;
    private final SliceBuffers slices;

    /**
     * @param loop if {@code second} reads one number for all, a loop that takes it so
     * @param nanosPerElement roughly what the loop takes for an element
     */
    BinaryElementLoop(
            BinaryLoop loop,
            double nanosPerElement,
            FloatReader first,
            FloatReader second,
            FloatWriter writer,
            SliceBuffers slices) {
        this.loop = loop;
        this.nanosPerElement = nanosPerElement;
        this.first = first;
        this.second = second;
        this.writer = writer;
        this.slices = slices;
    }

    @Override
    public double nanosPerElement() {
        return nanosPerElement + first.nanosPerElement() + second.nanosPerElement() + writer.nanosPerElement();
    }

    @Override
    public void run(long to, long a, long b, long count, int thread) {
        if (first.isDirect() && writer.isDirect() && (second.isDirect() || second.isOne())) {
            long whole = count - count % UnaryLoop.STEP;
            if (whole > 0) {
                loop.apply(a, second.read(b, whole, slices.b(thread)), to, whole);
            }
            long bytes = whole * Float.BYTES;
            slice(to + bytes, a + bytes, b + whole * second.step(), count - whole, thread);
        } else {
            for (long done = 0; done < count; done += SLICE) {
                long next = Math.min(SLICE, count - done);
                slice(to + done * writer.step(), a + done * first.step(), b + done * second.step(), next, thread);
            }
        }
    }

    private void slice(long to, long a, long b, long count, int thread) {
        if (count == 0) {
            return;
        }
        long x = first.read(a, count, slices.a(thread));
        long y = second.read(b, count, slices.b(thread));
        long target = writer.target(to, count, slices.result(thread));
        loop.apply(x, y, target, Math.ceilDiv(count, UnaryLoop.STEP) * UnaryLoop.STEP);
        writer.write(to, count, target, slices.packed(thread));
    }
}
