package dev.stowage.cpu.op.window;

import dev.stowage.cpu.program.GuardedKernel;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** Kernels that slide over sequences, images and volumes, and images resized or cut up. */
public final class WindowFamily {

    private WindowFamily() {}

    public static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.IM2COL, new GuardedKernel(new Im2colOp()));
        byOp.put(Op.IM2COL_3D, new GuardedKernel(new Im2colOp()));
        byOp.put(Op.COL2IM_1D, new GuardedKernel(new Col2imOp()));
        byOp.put(Op.CONV_2D, new GuardedKernel(ConvolutionOp.ofImages()));
        byOp.put(Op.CONV_3D, new GuardedKernel(ConvolutionOp.ofVolumes()));
        byOp.put(Op.CONV_2D_DW, new GuardedKernel(new DepthwiseOp()));
        byOp.put(Op.CONV_TRANSPOSE_1D, new GuardedKernel(TransposedConvolutionOp.ofSequences()));
        byOp.put(Op.CONV_TRANSPOSE_2D, new GuardedKernel(TransposedConvolutionOp.ofImages()));
        byOp.put(Op.POOL_1D, new GuardedKernel(new PoolOp()));
        byOp.put(Op.POOL_2D, new GuardedKernel(new PoolOp()));
        byOp.put(Op.UPSCALE, new GuardedKernel(new UpscaleOp()));
        byOp.put(Op.WIN_PART, new GuardedKernel(WindowPartitionOps.PART));
        byOp.put(Op.WIN_UNPART, new GuardedKernel(WindowPartitionOps.UNPART));
    }
}
