package dev.stowage.bench.schedule;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** A buffer type without memory, as a measuring one, except that reads and writes are accepted and do nothing. */
record NoOpMemory(MeasuringBufferType rules) implements BufferType {

    /** Where every buffer claims to begin. */
    private static final long BASE = 1L << 40;

    @Override
    public String name() {
        return rules.name();
    }

    @Override
    public long alignment() {
        return rules.alignment();
    }

    @Override
    public long maxBufferSize() {
        return rules.maxBufferSize();
    }

    @Override
    public long allocationSize(Tensor tensor) {
        return tensor.byteSize();
    }

    @Override
    public boolean isHost() {
        return rules.isHost();
    }

    @Override
    public Buffer allocate(long size) {
        return new NoOpBuffer(this, size);
    }

    private static final class NoOpBuffer extends Buffer {

        NoOpBuffer(NoOpMemory memory, long size) {
            super(memory, size);
        }

        @Override
        protected long baseAddress() {
            return BASE;
        }

        @Override
        protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {}

        @Override
        protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {}

        @Override
        protected void doMemset(long offset, long length, byte value) {}

        @Override
        protected boolean doTryCopy(BoundTensor from, BoundTensor to) {
            return true;
        }

        @Override
        protected void doClose() {}
    }
}
