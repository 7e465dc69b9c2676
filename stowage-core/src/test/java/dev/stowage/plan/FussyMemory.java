package dev.stowage.plan;

import dev.stowage.error.AllocationException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Memory that wants to know about every tensor placed in it, and refuses one by name on demand. */
final class FussyMemory implements BufferType {

    /** The tensor that is refused. */
    String refused = "none";

    /** The names of those that were not, in order. */
    final List<String> accepted = new ArrayList<>();

    @Override
    public String name() {
        return "fussy";
    }

    @Override
    public long alignment() {
        return 16;
    }

    @Override
    public Buffer allocate(long size) {
        return new FussyBuffer(size);
    }

    private final class FussyBuffer extends Buffer {

        private FussyBuffer(long size) {
            super(FussyMemory.this, size);
        }

        @Override
        protected void doInitialize(BoundTensor tensor) {
            if (tensor.tensor().name().equals(refused)) {
                throw new AllocationException("no room to describe " + tensor.describe(), name(), 0, 0);
            }
            accepted.add(tensor.tensor().name());
        }

        @Override
        protected long baseAddress() {
            return alignment();
        }

        @Override
        protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {}

        @Override
        protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {}

        @Override
        protected void doMemset(long offset, long length, byte value) {}

        @Override
        protected void doClose() {}
    }
}
