package dev.stowage.rpc.client;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A device of the processor that wants the weights of products in memory of their own, which nothing else may read. */
final class PackingDevice implements Device {

    private final Device device;
    private final List<Buffer> packed = new CopyOnWriteArrayList<>();
    private final PackedType type = new PackedType();

    PackingDevice(Device device) {
        this.device = device;
    }

    /** How many buffers for weights there are now. */
    long packedNow() {
        return packed.stream().filter(buffer -> !buffer.isClosed()).count();
    }

    /** How many there have been. */
    int packedEver() {
        return packed.size();
    }

    /** Memory of the processor by another name. */
    private final class PackedType implements BufferType {

        @Override
        public String name() {
            return "packed";
        }

        @Override
        public long alignment() {
            return HostBufferType.standard().alignment();
        }

        @Override
        public boolean isHost() {
            return true;
        }

        @Override
        public Buffer allocate(long size) {
            Buffer buffer = HostBufferType.standard().withName(name()).allocate(size);
            packed.add(buffer);
            return buffer;
        }
    }

    @Override
    public BufferType weightsType(Layout layout) {
        return type;
    }

    @Override
    public OpSupport supports(Tensor node) {
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            boolean isFactor = slot == 0 && node.op() == Op.MUL_MAT;
            if (!isFactor && node.hasSource(slot) && isPacked(node.source(slot))) {
                return OpSupport.no("only products read packed weights");
            }
        }
        return device.supports(node);
    }

    private static boolean isPacked(Tensor tensor) {
        return tensor.isPlaced() && Buffer.of(tensor).name().equals("packed");
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public String description() {
        return device.description();
    }

    @Override
    public DeviceType type() {
        return device.type();
    }

    @Override
    public DeviceMemory memory() {
        return device.memory();
    }

    @Override
    public BufferType bufferType() {
        return device.bufferType();
    }

    @Override
    public boolean supportsBufferType(BufferType other) {
        return device.supportsBufferType(other);
    }

    @Override
    public Backend open(BackendOptions options) {
        return device.open(options);
    }
}
