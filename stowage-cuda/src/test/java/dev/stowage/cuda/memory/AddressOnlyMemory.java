package dev.stowage.cuda.memory;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import java.lang.foreign.MemorySegment;

/** Memory of a GPU that has addresses and nothing else, for tests of what is launched. */
public record AddressOnlyMemory(long address) implements BufferType {

    @Override
    public String name() {
        return "addresses";
    }

    @Override
    public long alignment() {
        return 256;
    }

    @Override
    public Buffer allocate(long size) {
        return new AddressOnlyBuffer(this, size);
    }

    private static final class AddressOnlyBuffer extends DeviceBuffer {

        private final long address;

        AddressOnlyBuffer(AddressOnlyMemory type, long size) {
            super(type, size);
            this.address = type.address();
        }

        @Override
        public long deviceAddress() {
            return address;
        }

        @Override
        protected long baseAddress() {
            return address;
        }

        @Override
        protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
            throw new UnsupportedOperationException("there are no bytes");
        }

        @Override
        protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
            throw new UnsupportedOperationException("there are no bytes");
        }

        @Override
        protected void doMemset(long offset, long length, byte value) {
            throw new UnsupportedOperationException("there are no bytes");
        }

        @Override
        protected void doClose() {}
    }
}
