package dev.stowage.testkit.recording;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.testkit.simulated.Call;
import dev.stowage.testkit.simulated.CallLog;
import java.lang.foreign.MemorySegment;

/**
 * A buffer without memory: what is written is lost, what is read stays as it was, and both are logged. A copy is
 * logged as ggml makes it: written from memory of the host, read to memory of the host, or else read and written.
 */
final class RecordingBuffer extends Buffer {

    private final CallLog log;
    private final Buffer measured;

    RecordingBuffer(RecordingBufferType type, Buffer measured) {
        super(type, measured.size());
        this.log = type.log();
        this.measured = measured;
    }

    @Override
    protected long baseAddress() {
        return measured.address();
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        log.add(new Call.Set(tensor.tensor()));
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        log.add(new Call.Get(tensor.tensor()));
    }

    /** There is nothing to fill, and the traces have no such call. */
    @Override
    protected void doMemset(long offset, long length, byte value) {}

    @Override
    protected boolean doTryCopy(BoundTensor from, BoundTensor to) {
        if (!(from.buffer() instanceof RecordingBuffer source)) {
            return false;
        }
        if (!source.isHost()) {
            log.add(new Call.Get(from.tensor()));
        }
        if (source.isHost() || !isHost()) {
            log.add(new Call.Set(to.tensor()));
        }
        return true;
    }

    @Override
    protected void doClose() {
        measured.close();
    }
}
