package dev.stowage.llm.fit;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.error.DeviceException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.Objects;
import java.util.Set;

/**
 * A device to plan for that need not exist. It answers what a scheduler asks as llama.cpp's devices of its type do,
 * supports every op, and cannot be opened. Its memory only measures and never runs out: whether a model fits is for the
 * {@link DevicePlan} to say, which can then also say by how many bytes not. Immutable.
 */
public final class PlannedDevice implements Device {
    /** What CUDA aligns to. */
    private static final long GPU_ALIGNMENT = 128;

    /** From how many rows on llama.cpp's devices copy weights over for one op. */
    private static final long OFFLOADED_ROWS = 32;

    private final String name;
    private final DeviceType type;
    private final long memory;
    private final MeasuringBufferType bufferType;

    private PlannedDevice(String name, DeviceType type, long memory, MeasuringBufferType bufferType) {
        this.name = Objects.requireNonNull(name);
        if (memory < 1) {
            throw new InvalidPlanException(
                    "device '" + name + "' must have at least 1 byte of memory to plan for, not " + memory);
        }
        this.type = type;
        this.memory = memory;
        this.bufferType = bufferType;
    }

    /**
     * A graphics processor with so many bytes of memory of its own; {@link DeviceBudget#UNLIMITED} for no limit.
     *
     * @throws InvalidPlanException if it has less than one byte
     */
    public static PlannedDevice gpu(String name, long memory) {
        return new PlannedDevice(name, DeviceType.GPU, memory, MeasuringBufferType.of(name + " memory", GPU_ALIGNMENT));
    }

    /**
     * The processor with so many bytes of host memory; {@link DeviceBudget#UNLIMITED} for no limit.
     *
     * @throws InvalidPlanException if it has less than one byte
     */
    public static PlannedDevice cpu(String name, long memory) {
        MeasuringBufferType host = MeasuringBufferType.of(name + " memory", HostBufferType.STANDARD_ALIGNMENT)
                .withHost(true);
        return new PlannedDevice(name, DeviceType.CPU, memory, host);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return "a planned " + type;
    }

    @Override
    public DeviceType type() {
        return type;
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(memory, memory);
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
    public boolean supportsBufferType(BufferType other) {
        return isGpu() ? other.equals(bufferType) : other.isHost();
    }

    /** Looking up rows moves less than copying the table over would; anything else pays off from some rows on. */
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

    /** Graphics processors exchange tensors among themselves; between them and the processor the host copies. */
    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return isGpu() && producer instanceof PlannedDevice other && other.isGpu();
    }

    @Override
    public Backend open(BackendOptions options) {
        throw DeviceException.of(name(), "open", "it is planned for and does not exist: open a device of a registry");
    }

    private boolean isGpu() {
        return type == DeviceType.GPU;
    }

    @Override
    public String toString() {
        return name();
    }
}
