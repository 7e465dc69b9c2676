package dev.stowage.reference.kernel.window;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RestrictedKernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/** Images and sequences moved, framed or cut up; {@link PoolKernels} and {@link UpscaleKernel} resize them. */
public final class ImageKernels {

    private ImageKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        PoolKernels.addTo(kernels);
        kernels.put(Op.UPSCALE, new UpscaleKernel());
        kernels.put(Op.PAD, new RestrictedKernel(ImageKernels::pad, ImageKernels::canPad));
        kernels.put(Op.PAD_REFLECT_1D, ImageKernels::padReflect1d);
        kernels.put(Op.ROLL, new RestrictedKernel(ImageKernels::roll, ImageKernels::canRoll));
        kernels.put(Op.WIN_PART, ImageKernels::winPart);
        kernels.put(Op.WIN_UNPART, ImageKernels::winUnpart);
    }

    private static OpSupport canPad(Tensor node) {
        if (!(node.parameters() instanceof OpParameters.Pad p)) {
            return RestrictedKernel.foreignParameters(node);
        }
        if (p.circular() && node.source(0).shape().isEmpty()) {
            return OpSupport.no("an empty tensor cannot be padded circularly");
        }
        return movesWholeBlocks(node, p.before0());
    }

    private static OpSupport canRoll(Tensor node) {
        return node.parameters() instanceof OpParameters.Roll p
                ? movesWholeBlocks(node, p.shift0())
                : RestrictedKernel.foreignParameters(node);
    }

    private static OpSupport movesWholeBlocks(Tensor node, int elements) {
        int size = node.type().blockSize();
        return RestrictedKernel.require(
                elements % size == 0,
                node.type() + " moves along a row in whole blocks of " + size + " elements, not by " + elements);
    }

    /** The operand in its frame, which is zero or goes on with the other end of the operand. */
    private static void pad(Step step) {
        OpParameters.Pad p = Parameters.of(step, OpParameters.Pad.class);
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        int size = a.type().blockSize();
        Elements.forEach(result.blocks(), (k0, i1, i2, i3) -> {
            MemorySegment block = result.block(k0, i1, i2, i3);
            long j0 = k0 - p.before0() / size;
            long j1 = i1 - p.before1();
            long j2 = i2 - p.before2();
            long j3 = i3 - p.before3();
            if (p.circular()) {
                block.copyFrom(wrapped(a, j0, j1, j2, j3));
            } else if (a.contains(j0 * size, j1, j2, j3)) {
                block.copyFrom(a.block(j0, j1, j2, j3));
            } else {
                block.fill((byte) 0);
            }
        });
    }

    /** {@code result[i] = a[i - shift]}, going round. */
    private static void roll(Step step) {
        OpParameters.Roll p = Parameters.of(step, OpParameters.Roll.class);
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        int shift0 = p.shift0() / a.type().blockSize();
        Elements.forEach(
                result.blocks(),
                (k0, i1, i2, i3) -> result.block(k0, i1, i2, i3)
                        .copyFrom(wrapped(a, k0 - shift0, i1 - p.shift1(), i2 - p.shift2(), i3 - p.shift3())));
    }

    /** The block at an index that goes round at either end. */
    private static MemorySegment wrapped(Elements a, long k0, long i1, long i2, long i3) {
        Shape blocks = a.blocks();
        return a.block(
                Math.floorMod(k0, blocks.d0()),
                Math.floorMod(i1, blocks.d1()),
                Math.floorMod(i2, blocks.d2()),
                Math.floorMod(i3, blocks.d3()));
    }

    /** Rows that go back from their first and last element, which are not repeated themselves. */
    private static void padReflect1d(Step step) {
        int before = Parameters.of(step, OpParameters.PadReflect1d.class).before();
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        long last = a.shape().d0() - 1;
        Elements.forEach(result.shape(), (i0, i1, i2, i3) -> {
            long fromFirst = Math.abs(i0 - before);
            long fromLast = Math.abs(last - fromFirst);
            result.set(i0, i1, i2, i3, a.get(last - fromLast, i1, i2, i3));
        });
    }

    /** {@code result[c, x, y, column + row * columns] = a[c, column * edge + x, row * edge + y]}. */
    private static void winPart(Step step) {
        OpParameters.WinPart p = Parameters.of(step, OpParameters.WinPart.class);
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEach(result.shape(), (channel, x, y, window) -> {
            long column = window % p.columns();
            long row = window / p.columns();
            result.set(channel, x, y, window, a.getOrZero(channel, column * p.edge() + x, row * p.edge() + y, 0));
        });
    }

    private static void winUnpart(Step step) {
        int edge = Parameters.of(step, OpParameters.WinUnpart.class).edge();
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        long columns = Math.ceilDiv(result.shape().d1(), edge);
        Elements.forEach(result.shape(), (channel, x, y, _) -> {
            long window = x / edge + y / edge * columns;
            result.set(channel, x, y, 0, a.get(channel, x % edge, y % edge, window));
        });
    }
}
