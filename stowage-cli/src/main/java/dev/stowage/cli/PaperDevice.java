package dev.stowage.cli;

import dev.stowage.cli.DeviceSpec.Kind;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.error.DeviceException;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.Set;

/**
 * A device that exists only on paper. It answers what a scheduler asks as llama.cpp's devices of its kind do, claims
 * every op, and can run none. Its memory only measures and has no end: whether what it holds is too much is for the
 * report to say, which can then also say by how much.
 */
final class PaperDevice implements Device {
    /** What CUDA aligns to. */
    private static final long GPU_ALIGNMENT = 128;

    /** How many rows make it worth while to bring weights over for one op, in llama.cpp's devices. */
    private static final long OFFLOADED_ROWS = 32;

    private final DeviceSpec spec;
    private final MeasuringBufferType bufferType;
    private long held;

    PaperDevice(DeviceSpec spec) {
        this.spec = spec;
        String memory = spec.name() + " memory";
        this.bufferType = switch (spec.kind()) {
            case GPU -> MeasuringBufferType.of(memory, GPU_ALIGNMENT);
            case CPU ->
                MeasuringBufferType.of(memory, HostBufferType.STANDARD_ALIGNMENT)
                        .withHost(true);
        };
    }

    DeviceSpec spec() {
        return spec;
    }

    /** Takes down how many bytes weights and caches take, and so how many are free for results. */
    void hold(long bytes) {
        held = bytes;
    }

    @Override
    public String name() {
        return spec.name();
    }

    @Override
    public String description() {
        return "a " + spec.kind().label() + " on paper";
    }

    @Override
    public DeviceType type() {
        return switch (spec.kind()) {
            case GPU -> DeviceType.GPU;
            case CPU -> DeviceType.CPU;
        };
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(spec.isLimited() ? Math.max(0, spec.memory() - held) : spec.memory(), spec.memory());
    }

    @Override
    public Set<Capability> capabilities() {
        return isGpu() ? Set.of(Capability.ASYNC, Capability.EVENTS) : Set.of();
    }

    @Override
    public BufferType bufferType() {
        return bufferType;
    }

    @Override
    public OpSupport supports(Tensor node) {
        return OpSupport.yes();
    }

    /** A graphics processor reads its own memory, the processor that of the host. */
    @Override
    public boolean supportsBufferType(BufferType type) {
        return isGpu() ? type.equals(bufferType) : type.isHost();
    }

    /** Looking up rows moves less than bringing the table over would; anything else pays once there are rows enough. */
    @Override
    public boolean offloadsOp(Tensor node) {
        return isGpu() && node.op() != Op.GET_ROWS && rows(node) >= OFFLOADED_ROWS;
    }

    private static long rows(Tensor node) {
        return switch (node.op()) {
            case MUL_MAT -> node.dim(1);
            case MUL_MAT_ID, ROPE, ROPE_BACK -> node.dim(2);
            default -> node.dim(1) * node.dim(2) * node.dim(3);
        };
    }

    /** Graphics processors exchange tensors among themselves; with the processor it is the host that copies. */
    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return isGpu() && producer instanceof PaperDevice other && other.isGpu();
    }

    @Override
    public Backend open(BackendOptions options) {
        throw DeviceException.of(name(), "open", "it exists only on paper");
    }

    private boolean isGpu() {
        return spec.kind() == Kind.GPU;
    }

    @Override
    public String toString() {
        return name();
    }
}
