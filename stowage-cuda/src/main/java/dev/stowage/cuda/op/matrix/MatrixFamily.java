package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.device.Step;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Products of matrices whose operands are in plain layouts, as ggml has them. */
public final class MatrixFamily {

    private MatrixFamily() {}

    /** The weights of a MUL_MAT that is computed by {@link Gemm} from one matrix; none if it is computed in another way. */
    public static Optional<HalfWeights> halfWeights(Step step) {
        Product product = Product.of(step);
        boolean isGemm = !VectorProduct.fits(product) && HalfProduct.fits(product) && product.matrices() == 1;
        return isGemm ? Optional.of(HalfProduct.weights(product.a())) : Optional.empty();
    }

    /** The kernels of this family by op. */
    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.MUL_MAT, new MulMat());
        kernels.put(Op.MUL_MAT_ID, new MulMatId());
        kernels.put(Op.OUT_PROD, new OutProd());
        return kernels;
    }
}
