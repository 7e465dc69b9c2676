package dev.stowage.cuda.memory;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.RowRange;
import java.lang.foreign.MemorySegment;

/**
 * Memory of a GPU with tensors as their layouts say. Transfers are done on return and are not ordered with the streams of
 * backends; the caller waits for those.
 */
public final class PlainBuffer extends DeviceBuffer {

    private final DeviceContext context;
    private final long address;

    PlainBuffer(DeviceMemoryType type, DeviceContext context, long address, long size) {
        super(type, size);
        this.context = context;
        this.address = address;
    }

    /** The GPU that this is memory of. */
    public DeviceContext context() {
        return context;
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
        context.lanes().write(tensor, address + offset, source);
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        context.lanes().read(tensor, address + offset, target);
    }

    @Override
    protected void doSetRows(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        context.lanes().run("set", tensor, lane -> lane.writeRows(address, target, source, from));
    }

    @Override
    protected void doGetRows(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        context.lanes().run("get", tensor, lane -> lane.readRows(address, source, target, to));
    }

    @Override
    protected void doMemset(long offset, long length, byte value) {
        context.lanes().run("fill", null, lane -> lane.fill(address + offset, length, value));
    }

    /** From memory of the same GPU or of another, by the driver. */
    @Override
    protected boolean doTryCopy(BoundTensor from, BoundTensor to) {
        if (!(from.buffer() instanceof PlainBuffer source)
                || !source.context.driver().equals(context.driver())) {
            return false;
        }
        long fromAddress = source.address + from.offset();
        context.lanes().run("copy", to, lane -> lane.copy(address + to.offset(), fromAddress, to.byteSize()));
        return true;
    }

    @Override
    protected void doClose() {
        context.free(address, size());
    }
}
