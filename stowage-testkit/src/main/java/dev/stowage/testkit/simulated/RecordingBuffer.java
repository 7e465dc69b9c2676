package dev.stowage.testkit.simulated;

import dev.stowage.memory.Buffer;
import dev.stowage.memory.MeasuringBuffer;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * A buffer without memory: what is written is lost, what is read stays as it was, and both are taken down. A copy is
 * taken down as ggml makes it: written from memory of the host, read to memory of the host, or else read and written.
 */
final class RecordingBuffer extends Buffer {

    private final CallLog log;
    private final MeasuringBuffer measured;
    private final Placements placements = new Placements();

    RecordingBuffer(RecordingBufferType type, MeasuringBuffer measured) {
        super(type, measured.size());
        this.log = type.log();
        this.measured = measured;
    }

    /** Says that the next transfer at that place will be meant for that tensor. */
    static void expect(Tensor tensor) {
        if (Buffer.of(tensor) instanceof RecordingBuffer buffer) {
            buffer.placements.expect(buffer, tensor);
        }
    }

    @Override
    protected long baseAddress() {
        return measured.address();
    }

    @Override
    protected void write(long offset, MemorySegment source) {
        logSet(offset, source.byteSize());
    }

    @Override
    protected void read(long offset, MemorySegment target) {
        logGet(offset, target.byteSize());
    }

    /** There is nothing to fill, and the traces have no such call. */
    @Override
    protected void fill(long offset, long length, byte value) {}

    @Override
    protected boolean copyFrom(Buffer source, long sourceOffset, long offset, long length) {
        if (!(source instanceof RecordingBuffer from)) {
            return false;
        }
        if (!from.isHost()) {
            from.logGet(sourceOffset, length);
        }
        if (from.isHost() || !isHost()) {
            logSet(offset, length);
        }
        return true;
    }

    private void logSet(long offset, long length) {
        placements.find(this, offset, length).ifPresent(tensor -> log.add(new Call.Set(tensor)));
    }

    private void logGet(long offset, long length) {
        placements.find(this, offset, length).ifPresent(tensor -> log.add(new Call.Get(tensor)));
    }

    @Override
    protected void initialize(Tensor tensor) {
        placements.placed(this, tensor);
    }

    @Override
    protected void onReset() {
        placements.clear();
    }

    @Override
    protected void release() {
        measured.close();
    }
}
