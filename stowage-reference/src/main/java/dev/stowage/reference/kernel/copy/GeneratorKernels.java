package dev.stowage.reference.kernel.copy;

import static java.lang.Math.cos;
import static java.lang.Math.pow;
import static java.lang.Math.sin;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.DoubleArithmeticKernel;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.Map;

/** Elements that come from a formula rather than from other elements. */
public final class GeneratorKernels {

    private GeneratorKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.ARANGE, GeneratorKernels::arange);
        kernels.put(Op.TIMESTEP_EMBEDDING, new DoubleArithmeticKernel(GeneratorKernels::timestepEmbedding));
        kernels.put(Op.FILL, GeneratorKernels::fill);
    }

    private static void arange(Step step) {
        OpParameters.Arange range = Parameters.of(step, OpParameters.Arange.class);
        Elements result = Elements.of(step.result());
        for (long i = 0; i < result.shape().d0(); i++) {
            result.set(i, 0, 0, 0, range.start() + (double) range.step() * i);
        }
    }

    private static void fill(Step step) {
        float value = Parameters.of(step, OpParameters.Fill.class).value();
        Elements result = Elements.of(step.result());
        Elements.forEach(result.shape(), (i0, i1, i2, i3) -> result.set(i0, i1, i2, i3, value));
    }

    /**
     * A row for each time step {@code t}: first {@code cos(t * f)} and then {@code sin(t * f)} for the frequencies
     * {@code f = maxPeriod^(-j / half)} with {@code j} from 0 to below {@code half}. If the length is odd the last
     * element is zero.
     */
    private static void timestepEmbedding(Step step) {
        OpParameters.TimestepEmbedding embedding = Parameters.of(step, OpParameters.TimestepEmbedding.class);
        Elements timesteps = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        int half = embedding.dimensions() / 2;
        for (long i = 0; i < timesteps.shape().d0(); i++) {
            double[] row = new double[embedding.dimensions()];
            for (int j = 0; j < half; j++) {
                double angle = timesteps.get(i, 0, 0, 0) * pow(embedding.maxPeriod(), -(double) j / half);
                row[j] = cos(angle);
                row[half + j] = sin(angle);
            }
            result.setRow(i, 0, 0, row);
        }
    }
}
