package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.kernel.math.UnaryLoop;

/** Runs of a function of one number. */
final class UnaryElementLoop implements ElementLoop {

    private final UnaryLoop loop;
    private final double nanosPerElement;
    private final FloatReader reader;
    private final FloatWriter writer;
    private final SliceBuffers slices;

    /** @param nanosPerElement roughly what the loop takes for an element */
    UnaryElementLoop(
            UnaryLoop loop, double nanosPerElement, FloatReader reader, FloatWriter writer, SliceBuffers slices) {
        this.loop = loop;
        this.nanosPerElement = nanosPerElement;
        this.reader = reader;
        this.writer = writer;
        this.slices = slices;
    }

    @Override
    public double nanosPerElement() {
        return nanosPerElement + reader.nanosPerElement() + writer.nanosPerElement();
    }

    @Override
    public void run(long to, long a, long b, long count, int thread) {
        if (reader.isDirect() && writer.isDirect()) {
            long whole = count - count % UnaryLoop.STEP;
            if (whole > 0) {
                loop.apply(a, to, whole);
            }
            slice(to + whole * Float.BYTES, a + whole * Float.BYTES, count - whole, thread);
        } else {
            for (long done = 0; done < count; done += SLICE) {
                long next = Math.min(SLICE, count - done);
                slice(to + done * writer.step(), a + done * reader.step(), next, thread);
            }
        }
    }

    private void slice(long to, long a, long count, int thread) {
        if (count == 0) {
            return;
        }
        long from = reader.read(a, count, slices.a(thread));
        long target = writer.target(to, count, slices.result(thread));
        loop.apply(from, target, Math.ceilDiv(count, UnaryLoop.STEP) * UnaryLoop.STEP);
        writer.write(to, count, target, slices.packed(thread));
    }
}
