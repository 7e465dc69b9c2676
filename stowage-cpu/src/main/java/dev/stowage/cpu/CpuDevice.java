package dev.stowage.cpu;

import dev.stowage.cpu.op.StandardKernels;
import dev.stowage.cpu.program.OpKernels;
import dev.stowage.cpu.weights.InterleavedType;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.reference.HostMemory;
import dev.stowage.reference.ReferenceOps;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** The processor with its vector units and all its cores. */
final class CpuDevice implements Device {

    private final OpKernels kernels;

    CpuDevice() {
        CompilerRules.apply();
        this.kernels = StandardKernels.all();
    }

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public String description() {
        return Processor.description();
    }

    @Override
    public DeviceType type() {
        return DeviceType.CPU;
    }

    @Override
    public DeviceMemory memory() {
        return HostMemory.now();
    }

    @Override
    public Set<Capability> capabilities() {
        return Set.of(Capability.BUFFER_FROM_HOST);
    }

    @Override
    public BufferType bufferType() {
        return HostBufferType.standard();
    }

    @Override
    public BufferType weightsType(Layout layout) {
        return InterleavedType.suiting(layout).<BufferType>map(type -> type).orElseGet(this::bufferType);
    }

    @Override
    public Buffer bufferOver(MemorySegment segment) {
        return HostBuffer.over(segment);
    }

    @Override
    public OpSupport supports(Tensor node) {
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot) && InterleavedType.holds(node.source(slot))) {
                return supportsInterleaved(node, slot);
            }
        }
        return ReferenceOps.supports(node);
    }

    private static OpSupport supportsInterleaved(Tensor node, int slot) {
        if (node.op() == Op.NONE || node.op().isViewOp()) {
            return OpSupport.yes();
        }
        boolean isProduct = (node.op() == Op.MUL_MAT || node.op() == Op.MUL_MAT_ID)
                && slot == 0
                && !node.source(0).isView();
        return isProduct
                ? OpSupport.yes()
                : OpSupport.no("operand " + slot + " has its rows interleaved, which only products of whole matrices"
                        + " take: keep it in ordinary memory of the device");
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return type.isHost() || (type instanceof InterleavedType interleaved && interleaved.isUsable());
    }

    @Override
    public Backend open(BackendOptions options) {
        CpuSettings.requireKnown(name(), options);
        return new CpuBackend(this, options, kernels, StandardKernels.fusions(options));
    }
}
