package dev.stowage.testkit.simulated;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.testkit.race.MemoryAccess;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a simulated device's memory. Its bytes are really the host's, but hidden: only this package reaches them,
 * everyone else reads and writes as on a device with memory of its own.
 */
final class SimulatedBuffer extends Buffer {

    private final SimulatedMemory memory;
    private final Buffer hidden;

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

    /** The host's own; else none, or one that is aligned and no more, so that code that relies on more shows. */
    @Override
    protected long baseAddress() {
        if (memory.isHost()) {
            return hidden.address();
        }
        return memory.hasAddresses() ? memory.alignment() : 0;
    }

    @Override
    protected @Nullable MemorySegment hostSegment() {
        return memory.isHost() ? hidden.segment() : null;
    }

    @Override
    protected void doInitialize(BoundTensor tensor) {
        memory.queries().initialize();
    }

    @Override
    protected void doInitialize(List<BoundTensor> tensors) {
        memory.queries().initializeAll();
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        device().logs().add(new Call.Set(tensor.tensor()));
        device().logs().addUpload(tensor.tensor(), offset - tensor.offset(), source, false);
        device().atOnce(device().calls().transfer(CallKind.SET, Optional.of(tensor.tensor()), source.byteSize()));
        MemorySegment target = hidden.segment().asSlice(offset, source.byteSize());
        device().logs().hostAccesses("set", () -> new MemoryAccess[] {
            MemoryAccess.write(target, tensor.tensor().name(), name(), offset), hostRead(tensor, source)
        });
        target.copyFrom(source);
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        device().logs().add(new Call.Get(tensor.tensor()));
        device().atOnce(device().calls().transfer(CallKind.GET, Optional.of(tensor.tensor()), target.byteSize()));
        MemorySegment source = hidden.segment().asSlice(offset, target.byteSize());
        device().logs().hostAccesses("get", () -> new MemoryAccess[] {
            MemoryAccess.read(source, tensor.tensor().name(), name(), offset),
            MemoryAccess.write(target, tensor.tensor().name(), "host memory", 0)
        });
        target.copyFrom(source);
    }

    @Override
    protected void doMemset(long offset, long length, byte value) {
        device().atOnce(device().calls().transfer(CallKind.SET, Optional.empty(), 0));
        MemorySegment target = hidden.segment().asSlice(offset, length);
        device().logs().hostAccesses("fill", () ->
                new MemoryAccess[] {MemoryAccess.write(target, "(filled)", name(), offset)});
        target.fill(value);
    }

    @Override
    protected boolean doTryCopy(BoundTensor from, BoundTensor to) {
        if (!(from.buffer() instanceof SimulatedBuffer source) || !device().copiesDirectlyFrom(source.device())) {
            return false;
        }
        device().logs().add(new Call.Get(from.tensor()));
        device().logs().add(new Call.Set(to.tensor()));
        device().atOnce(device().calls().copy(source.device(), Optional.of(to.tensor()), from.byteSize()));
        device().logs().hostAccesses("copy", () -> new MemoryAccess[] {source.read(from), written(to)});
        HiddenBytes.of(this, to).copyFrom(HiddenBytes.of(source, from));
        return true;
    }

    /** The bytes of a lost device cannot be accessed any more. */
    @Override
    protected void onAcquire() {
        device().streams().require("access");
    }

    /** That all bytes of a tensor here are read. */
    MemoryAccess read(BoundTensor tensor) {
        return MemoryAccess.read(HiddenBytes.of(this, tensor), tensor.tensor().name(), name(), tensor.offset());
    }

    /** That all bytes of a tensor here are written. */
    MemoryAccess written(BoundTensor tensor) {
        return MemoryAccess.write(HiddenBytes.of(this, tensor), tensor.tensor().name(), name(), tensor.offset());
    }

    /** That all bytes of this buffer become something else. */
    MemoryAccess[] accessAll() {
        return new MemoryAccess[] {MemoryAccess.write(hidden.segment(), "(all of it)", name(), 0)};
    }

    private static MemoryAccess hostRead(BoundTensor tensor, MemorySegment source) {
        return MemoryAccess.read(source, tensor.tensor().name(), "host memory", 0);
    }

    @Override
    protected void doClose() {
        // Work that still uses these bytes when they are freed races with their next owner.
        device().logs().hostAccesses("gives memory back", this::accessAll);
        try {
            hidden.close();
        } finally {
            memory.give(size());
        }
    }
}
