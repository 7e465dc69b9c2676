package dev.stowage.graph;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/** Elements that come from a formula rather than from other elements. */
sealed interface GeneratorOps extends OpFamily permits GraphBuilder {

    /** {@code start, start + step, ...} below {@code stop}, as f32: {@code ceil((stop - start) / step)} elements. */
    default Tensor arange(float start, float stop, float step) {
        OpCall call = OpCall.of(this, Op.ARANGE, new OpParameters.Arange(start, stop, step))
                .require(stop > start && step > 0, "it must rise from start to stop by steps above 0");
        double count = Math.ceil((stop - start) / step);
        return call.require(count < 0x1p63, "there must be a last element").result(ElementType.F32, (long) count);
    }

    /**
     * Sines and cosines of each time step, as f32: {@code timesteps[n]} gives {@code [dimensions, n]}, whose rows are
     * {@code cos(t * f)} and then {@code sin(t * f)} for frequencies {@code f} that fall from 1 to almost
     * {@code 1 / maxPeriod}.
     */
    default Tensor timestepEmbedding(Tensor timesteps, int dimensions, int maxPeriod) {
        return OpCall.of(
                        this,
                        Op.TIMESTEP_EMBEDDING,
                        new OpParameters.TimestepEmbedding(dimensions, maxPeriod),
                        timesteps)
                .require(dimensions > 0 && maxPeriod > 0, "dimensions and period must be above 0")
                .require(timesteps.shape().isVector(), "the time steps must have one dimension")
                .result(ElementType.F32, dimensions, timesteps.dim(0));
    }

    /** A tensor like {@code a} (f32 or f16, without gaps) with {@code value} everywhere. */
    default Tensor fill(Tensor a, float value) {
        return filled(a, value, false);
    }

    /** {@link #fill} in the bytes of {@code a}. */
    default Tensor fillInplace(Tensor a, float value) {
        return filled(a, value, true);
    }

    private Tensor filled(Tensor a, float value, boolean inPlace) {
        return OpCall.of(this, Op.FILL, new OpParameters.Fill(value), a)
                .require(a.type() == ElementType.F32 || a.type() == ElementType.F16, "the operand must be f32 or f16")
                .require(a.layout().isContiguous(), "the operand must be without gaps")
                .result(a, inPlace);
    }
}
