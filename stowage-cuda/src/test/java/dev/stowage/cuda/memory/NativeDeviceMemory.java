package dev.stowage.cuda.memory;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Memory that counts as a GPU's and is the host's, so that launches can be made and looked at without a GPU. */
public final class NativeDeviceMemory implements BufferType {

    private static final long ALIGNMENT = 256;

    @Override
    public String name() {
        return "native device memory";
    }

    @Override
    public long alignment() {
        return ALIGNMENT;
    }

    @Override
    public Buffer allocate(long size) {
        return new NativeBuffer(this, Arena.ofShared(), size);
    }

    private static final class NativeBuffer extends DeviceBuffer {

        private final Arena arena;
        private final MemorySegment bytes;

        NativeBuffer(BufferType type, Arena arena, long size) {
            super(type, size);
            this.arena = arena;
            this.bytes = arena.allocate(Math.max(1, size), ALIGNMENT);
        }

        @Override
        public long deviceAddress() {
            return bytes.address();
        }

        @Override
        protected long baseAddress() {
            return bytes.address();
        }

        @Override
        protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
            MemorySegment.copy(source, 0, bytes, offset, source.byteSize());
        }

        @Override
        protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
            MemorySegment.copy(bytes, offset, target, 0, target.byteSize());
        }

        @Override
        protected void doMemset(long offset, long length, byte value) {
            bytes.asSlice(offset, length).fill(value);
        }

        @Override
        protected void doClose() {
            arena.close();
        }
    }
}
