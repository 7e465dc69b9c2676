package dev.stowage.cpu.op;

import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** Kernels that slide over sequences, images and volumes, and images resized or cut up. */
final class WindowFamily {

    private WindowFamily() {}

    static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.IM2COL, new Supported(new ColumnsOp()));
        byOp.put(Op.IM2COL_3D, new Supported(new ColumnsOp()));
        byOp.put(Op.COL2IM_1D, new Supported(new OverlayOp()));
        byOp.put(Op.CONV_2D, new Supported(ConvolutionOp.ofImages()));
        byOp.put(Op.CONV_3D, new Supported(ConvolutionOp.ofVolumes()));
        byOp.put(Op.CONV_2D_DW, new Supported(new DepthwiseOp()));
        byOp.put(Op.CONV_TRANSPOSE_1D, new Supported(TransposedConvolutionOp.ofSequences()));
        byOp.put(Op.CONV_TRANSPOSE_2D, new Supported(TransposedConvolutionOp.ofImages()));
        byOp.put(Op.POOL_1D, new Supported(new PoolOp()));
        byOp.put(Op.POOL_2D, new Supported(new PoolOp()));
        byOp.put(Op.UPSCALE, new Supported(new UpscaleOp()));
        byOp.put(Op.WIN_PART, new Supported(WindowCopyOps.PART));
        byOp.put(Op.WIN_UNPART, new Supported(WindowCopyOps.UNPART));
        byOp.put(Op.GET_REL_POS, new Supported(RelativePositionOps.GET));
        byOp.put(Op.ADD_REL_POS, new Supported(RelativePositionOps.ADD));
    }
}
