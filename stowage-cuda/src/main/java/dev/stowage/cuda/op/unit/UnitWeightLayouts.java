package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.RepackedType;
import dev.stowage.cuda.memory.WeightLayouts;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;

/** Weights of one GPU: matrices in units where their layout suits, all else in plain memory. */
public final class UnitWeightLayouts implements WeightLayouts {

    private final BufferType plain;
    private final RepackedType units;
    private final Gpu gpu;

    public UnitWeightLayouts(BufferType plain, RepackedType units, Gpu gpu) {
        this.plain = plain;
        this.units = units;
        this.gpu = gpu;
    }

    /** A single row is a vector, which products do not have as their first operand. */
    @Override
    public BufferType typeFor(Layout layout) {
        return layout.shape().dim(1) > 1 && RepackedType.suits(layout) ? units : plain;
    }

    @Override
    public boolean has(BufferType type) {
        return type.equals(units);
    }

    @Override
    public OpSupport supports(Tensor node) {
        return UnitFamily.supports(node, gpu);
    }
}
