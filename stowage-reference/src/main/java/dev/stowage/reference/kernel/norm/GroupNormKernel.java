package dev.stowage.reference.kernel.norm;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import java.util.Arrays;

/**
 * {@code (x - mean) / sqrt(variance + epsilon)} over groups of channels (dimension 2), for each image (dimension 3).
 * Where the channels do not fall into equal groups the last ones are smaller, or empty.
 */
final class GroupNormKernel implements Kernel {

    @Override
    public void compute(Step step) {
        OpParameters.GroupNorm parameters = Parameters.of(step, OpParameters.GroupNorm.class);
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Shape shape = result.shape();
        long channels = Math.ceilDiv(shape.d2(), parameters.groups());
        for (long image = 0; image < shape.d3(); image++) {
            for (long first = 0; first < shape.d2(); first += channels) {
                long end = Math.min(first + channels, shape.d2());
                double[] group = read(a, first, end, image);
                write(result, first, end, image, NormKernels.centred(group, parameters.epsilon()));
            }
        }
    }

    private static double[] read(Elements a, long first, long end, long image) {
        int length = Math.toIntExact(a.shape().d0());
        double[] group = new double[Math.toIntExact(length * a.shape().d1() * (end - first))];
        int at = 0;
        for (long channel = first; channel < end; channel++) {
            for (long i1 = 0; i1 < a.shape().d1(); i1++) {
                System.arraycopy(a.row(i1, channel, image), 0, group, at, length);
                at += length;
            }
        }
        return group;
    }

    private static void write(Elements result, long first, long end, long image, double[] group) {
        int length = Math.toIntExact(result.shape().d0());
        int at = 0;
        for (long channel = first; channel < end; channel++) {
            for (long i1 = 0; i1 < result.shape().d1(); i1++) {
                result.setRow(i1, channel, image, Arrays.copyOfRange(group, at, at + length));
                at += length;
            }
        }
    }
}
