package dev.stowage.cuda.memory;

import dev.stowage.cuda.kernel.KernelLibrary;
import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.util.function.Supplier;

/**
 * Memory of one GPU for the weights of matrix products, which are stored in {@linkplain UnitLayout units}. The bytes a
 * caller reads back are those it wrote.
 */
public final class RepackedType implements BufferType {

    private final DeviceContext context;
    private final UnitStaging staging;
    private final Supplier<KernelLibrary> kernels;

    /** Such memory of that GPU, whose kernels rearrange the bytes. */
    public RepackedType(DeviceContext context, Supplier<KernelLibrary> kernels) {
        this.context = context;
        this.staging = new UnitStaging(context);
        this.kernels = kernels;
    }

    /** Whether weights of that layout can be kept so. */
    public static boolean suits(Layout layout) {
        return UnitLayout.suits(layout);
    }

    /** Whether a tensor is stored in such memory of some GPU, or planned to be. */
    public static boolean holds(Tensor tensor) {
        return tensor.isPlaced() && Buffer.of(tensor).type() instanceof RepackedType;
    }

    @Override
    public String name() {
        return context.name() + " units";
    }

    @Override
    public long alignment() {
        return DeviceMemoryType.ALIGNMENT;
    }

    @Override
    public long allocationSize(Tensor tensor) {
        return UnitLayout.of(tensor.layout()).map(UnitLayout::allocationSize).orElse(tensor.byteSize());
    }

    @Override
    public Buffer allocate(long size) {
        long address = context.allocate(name(), size);
        return new RepackedBuffer(this, context, staging, kernels, address, size);
    }

    @Override
    public String toString() {
        return name();
    }
}
