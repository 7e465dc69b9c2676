package dev.stowage.testkit.simulated;

import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a simulated device's memory. Its bytes are really the host's, but hidden: only this package reaches them,
 * everyone else reads and writes as on a device with memory of its own.
 */
final class SimulatedBuffer extends Buffer {

    private final SimulatedMemory memory;
    private final Buffer hidden;
    private final Placements placements = new Placements();

    SimulatedBuffer(SimulatedMemory memory, Buffer hidden) {
        super(memory, hidden.size());
        this.memory = memory;
        this.hidden = hidden;
    }

    SimulatedDevice device() {
        return memory.device();
    }

    /** The hidden bytes as a buffer the reference kernels can work in; closed with this one. */
    Buffer hidden() {
        return hidden;
    }

    /** An address that is aligned and no more, so that whoever counts on more than that shows. */
    @Override
    protected long baseAddress() {
        return memory.isHost() ? hidden.address() : memory.alignment();
    }

    @Override
    protected @Nullable MemorySegment hostSegment() {
        return memory.isHost() ? hidden.segment() : null;
    }

    @Override
    protected void write(long offset, MemorySegment source) {
        Optional<Tensor> tensor = placements.find(this, offset, source.byteSize());
        tensor.ifPresent(written -> device().log(new Call.Set(written)));
        device().atOnce(device().transfer(CallKind.SET, tensor, source.byteSize()));
        hidden.segment().asSlice(offset, source.byteSize()).copyFrom(source);
    }

    @Override
    protected void read(long offset, MemorySegment target) {
        Optional<Tensor> tensor = placements.find(this, offset, target.byteSize());
        tensor.ifPresent(read -> device().log(new Call.Get(read)));
        device().atOnce(device().transfer(CallKind.GET, tensor, target.byteSize()));
        target.copyFrom(hidden.segment().asSlice(offset, target.byteSize()));
    }

    @Override
    protected void fill(long offset, long length, byte value) {
        Optional<Tensor> tensor = placements.find(this, offset, length);
        device().atOnce(device().transfer(CallKind.SET, tensor, 0));
        hidden.segment().asSlice(offset, length).fill(value);
    }

    @Override
    protected boolean copyFrom(Buffer source, long sourceOffset, long offset, long length) {
        if (!(source instanceof SimulatedBuffer from) || !device().copiesDirectlyFrom(from.device())) {
            return false;
        }
        Optional<Tensor> tensor = placements.find(this, offset, length);
        from.placements.find(from, sourceOffset, length).ifPresent(read -> device().log(new Call.Get(read)));
        tensor.ifPresent(written -> device().log(new Call.Set(written)));
        device().atOnce(device().copy(from.device(), tensor, length));
        hidden.segment().asSlice(offset, length).copyFrom(from.hidden.segment().asSlice(sourceOffset, length));
        return true;
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
        try {
            hidden.close();
        } finally {
            memory.give(size());
        }
    }
}
