package dev.stowage.cuda.op.window;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Windows that slide over sequences, images and volumes, and images resized, padded, moved or cut up. */
public final class WindowFamily {

    private static final Set<Op> CONVOLUTIONS =
            EnumSet.of(Op.CONV_2D, Op.CONV_2D_DW, Op.CONV_3D, Op.CONV_TRANSPOSE_1D, Op.CONV_TRANSPOSE_2D);

    private WindowFamily() {}

    /** The kernels of the family by op. */
    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.IM2COL, new Im2colKernel());
        kernels.put(Op.IM2COL_3D, new Im2colKernel());
        kernels.put(Op.COL2IM_1D, new Col2imKernel());
        for (Op op : CONVOLUTIONS) {
            kernels.put(op, new ConvolutionKernel());
        }
        kernels.put(Op.POOL_1D, new PoolKernel());
        kernels.put(Op.POOL_2D, new PoolKernel());
        kernels.put(Op.UPSCALE, new UpscaleKernel());
        kernels.put(Op.PAD, new PadKernel());
        kernels.put(Op.ROLL, new PadKernel());
        kernels.put(Op.PAD_REFLECT_1D, new PadReflectKernel());
        kernels.put(Op.WIN_PART, new WinPartKernel());
        kernels.put(Op.WIN_UNPART, new WinPartKernel());
        return kernels;
    }
}
