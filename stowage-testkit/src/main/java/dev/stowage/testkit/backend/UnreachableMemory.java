package dev.stowage.testkit.backend;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import java.lang.foreign.MemorySegment;

/** Memory that no device reaches: it has neither an address nor bytes, and touching it is a failure of the check. */
final class UnreachableMemory implements BufferType {

    @Override
    public String name() {
        return "memory of no device";
    }

    @Override
    public long alignment() {
        return 64;
    }

    @Override
    public Buffer allocate(long size) {
        return new Handle(this, size);
    }

    private static final class Handle extends Buffer {

        Handle(UnreachableMemory type, long size) {
            super(type, size);
        }

        @Override
        protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
            throw touched(tensor);
        }

        @Override
        protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
            throw touched(tensor);
        }

        @Override
        protected void doMemset(long offset, long length, byte value) {
            throw new CheckFailure("filled memory that it does not reach");
        }

        private static CheckFailure touched(BoundTensor tensor) {
            return new CheckFailure("touched " + tensor.describe() + " in memory that it does not reach");
        }

        @Override
        protected void doClose() {}
    }
}
