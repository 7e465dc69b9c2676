package dev.stowage.reference.kernel.copy;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;

/**
 * The first operand with the second put into a region of it, or added to one. The region has the shape of the second
 * operand and byte strides and a byte offset of its own within the result.
 *
 * @param adds whether the second operand is added to what is there (ACC), not put in its place (SET)
 */
record RegionKernel(boolean adds) implements Kernel {

    @Override
    public void compute(Step step) {
        OpParameters.Region where = Parameters.of(step, OpParameters.Region.class);
        Elements a = Elements.of(step.operand(0));
        Elements b = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Elements region = Elements.within(step.result(), where.offset(), layout(step.operand(1), where));
        if (!where.inPlace()) {
            Elements.forEach(
                    result.blocks(),
                    (k0, i1, i2, i3) -> result.block(k0, i1, i2, i3).copyFrom(a.block(k0, i1, i2, i3)));
        }
        if (adds) {
            Elements.forEach(
                    b.shape(),
                    (i0, i1, i2, i3) -> region.set(i0, i1, i2, i3, region.get(i0, i1, i2, i3) + b.get(i0, i1, i2, i3)));
        } else {
            Elements.forEach(
                    b.blocks(), (k0, i1, i2, i3) -> region.block(k0, i1, i2, i3).copyFrom(b.block(k0, i1, i2, i3)));
        }
    }

    private static Layout layout(BoundTensor b, OpParameters.Region where) {
        Strides strides = new Strides(b.type().bytesPerBlock(), where.stride1(), where.stride2(), where.stride3());
        return Layout.strided(b.type(), b.shape(), strides);
    }

    /** In a copy without gaps the bytes the region is given in would no longer be those of the operand. */
    @Override
    public OpSupport supports(Tensor node) {
        Layout a = node.source(0).layout();
        return a.equals(node.layout()) || a.isContiguous()
                ? OpSupport.yes()
                : OpSupport.no("the region is given in bytes of an operand with gaps, " + a
                        + ", which the result does not have: make the operand contiguous");
    }
}
