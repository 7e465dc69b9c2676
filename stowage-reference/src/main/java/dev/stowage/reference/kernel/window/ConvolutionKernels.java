package dev.stowage.reference.kernel.window;

import static dev.stowage.reference.kernel.window.WindowKernels.spreadFrom;
import static dev.stowage.reference.kernel.window.WindowKernels.under;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RestrictedKernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import java.util.Map;

/** Convolutions as one op: each element of the result is the sum of the elements under the kernel times the kernel. */
public final class ConvolutionKernels {

    private ConvolutionKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.CONV_2D, RestrictedKernel.ofFractions(ConvolutionKernels::conv2d));
        kernels.put(Op.CONV_2D_DW, RestrictedKernel.ofFractions(ConvolutionKernels::conv2dDepthwise));
        kernels.put(Op.CONV_3D, ConvolutionKernels::conv3d);
        kernels.put(Op.CONV_TRANSPOSE_1D, ConvolutionKernels::convTranspose1d);
        kernels.put(Op.CONV_TRANSPOSE_2D, ConvolutionKernels::convTranspose2d);
    }

    /** {@code result[x, y, out, n] = sum(kernel[kx, ky, in, out] * data[x under kx, y under ky, in, n])}. */
    private static void conv2d(Step step) {
        OpParameters.Conv2d parameters = Parameters.of(step, OpParameters.Conv2d.class);
        Elements kernel = Elements.of(step.operand(0));
        Elements data = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Shape size = kernel.shape();
        Elements.forEachRow(result.shape(), (y, out, n) -> {
            double[] sums = new double[Math.toIntExact(result.shape().d0())];
            for (int x = 0; x < sums.length; x++) {
                for (long in = 0; in < size.d2(); in++) {
                    for (long ky = 0; ky < size.d1(); ky++) {
                        for (long kx = 0; kx < size.d0(); kx++) {
                            long column = under(parameters.width(), x, kx);
                            long row = under(parameters.height(), y, ky);
                            sums[x] += kernel.get(kx, ky, in, out) * data.getOrZero(column, row, in, n);
                        }
                    }
                }
            }
            result.setRow(y, out, n, sums);
        });
    }

    /** {@code result[x, y, c, n] = sum(kernel[kx, ky, 0, c] * data[x under kx, y under ky, c, n])}. */
    private static void conv2dDepthwise(Step step) {
        OpParameters.Conv2d parameters = Parameters.of(step, OpParameters.Conv2d.class);
        Elements kernel = Elements.of(step.operand(0));
        Elements data = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Shape size = kernel.shape();
        Elements.forEachRow(result.shape(), (y, channel, n) -> {
            double[] sums = new double[Math.toIntExact(result.shape().d0())];
            for (int x = 0; x < sums.length; x++) {
                for (long ky = 0; ky < size.d1(); ky++) {
                    for (long kx = 0; kx < size.d0(); kx++) {
                        long column = under(parameters.width(), x, kx);
                        long row = under(parameters.height(), y, ky);
                        // Unlike the other convolutions, ggml's has no zeros in the padding for a kernel to multiply.
                        if (data.contains(column, row, channel, n)) {
                            sums[x] += kernel.get(kx, ky, 0, channel) * data.get(column, row, channel, n);
                        }
                    }
                }
            }
            result.setRow(y, channel, n, sums);
        });
    }

    /** As in two dimensions; the last one counts the channels of one kernel or image after those of another. */
    private static void conv3d(Step step) {
        OpParameters.Conv3d parameters = Parameters.of(step, OpParameters.Conv3d.class);
        Elements kernel = Elements.of(step.operand(0));
        Elements data = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Shape oneKernel = kernel.shape().with(3, parameters.channels());
        Elements.forEach(result.shape(), (x, y, z, i3) -> {
            long kernelChannels = i3 % parameters.kernels() * parameters.channels();
            long imageChannels = i3 / parameters.kernels() * parameters.channels();
            double[] sum = {0};
            Elements.forEach(oneKernel, (kx, ky, kz, in) -> {
                long column = under(parameters.width(), x, kx);
                long row = under(parameters.height(), y, ky);
                long layer = under(parameters.depth(), z, kz);
                sum[0] += kernel.get(kx, ky, kz, kernelChannels + in)
                        * data.getOrZero(column, row, layer, imageChannels + in);
            });
            result.set(x, y, z, i3, sum[0]);
        });
    }

    /** {@code result[i * stride + k, out]} sums up {@code kernel[k, out, in] * data[i, in]}. */
    private static void convTranspose1d(Step step) {
        int stride = Parameters.of(step, OpParameters.ConvTranspose.class).stride();
        Elements kernel = Elements.of(step.operand(0));
        Elements data = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Elements.forEach(result.shape(), (x, out, _, _) -> {
            double sum = 0;
            for (long k = 0; k < kernel.shape().d0(); k++) {
                long i = spreadFrom(x, k, stride);
                for (long in = 0; in < kernel.shape().d2() && data.contains(i, in, 0, 0); in++) {
                    sum += kernel.get(k, out, in, 0) * data.get(i, in, 0, 0);
                }
            }
            result.set(x, out, 0, 0, sum);
        });
    }

    /** {@code result[i * stride + kx, j * stride + ky, out]} sums {@code kernel[kx, ky, out, in] * data[i, j, in]}. */
    private static void convTranspose2d(Step step) {
        int stride = Parameters.of(step, OpParameters.ConvTranspose.class).stride();
        Elements kernel = Elements.of(step.operand(0));
        Elements data = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Elements.forEach(result.shape(), (x, y, out, n) -> {
            double sum = 0;
            for (long ky = 0; ky < kernel.shape().d1(); ky++) {
                for (long kx = 0; kx < kernel.shape().d0(); kx++) {
                    long i = spreadFrom(x, kx, stride);
                    long j = spreadFrom(y, ky, stride);
                    for (long in = 0; in < kernel.shape().d3() && data.contains(i, j, in, n); in++) {
                        sum += kernel.get(kx, ky, out, in) * data.get(i, j, in, n);
                    }
                }
            }
            result.set(x, y, out, n, sum);
        });
    }
}
