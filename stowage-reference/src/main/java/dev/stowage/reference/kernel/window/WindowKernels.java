package dev.stowage.reference.kernel.window;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Window;
import java.util.Map;

/** The elements under a window as rows, so that a matrix product can convolve them, and such rows added up again. */
public final class WindowKernels {

    private WindowKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.IM2COL, WindowKernels::im2col);
        kernels.put(Op.IM2COL_3D, WindowKernels::im2col3d);
        kernels.put(Op.COL2IM_1D, WindowKernels::col2im1d);
    }

    /** The index in the input of a tap of the kernel at a position; outside the input in the padding. */
    static long under(Window window, long position, long tap) {
        return position * window.stride() + tap * window.dilation() - window.padding();
    }

    /**
     * The index in the input whose stretched copy puts its tap {@code tap} on an index of the output of a transposed
     * convolution, where it begins {@code stride} further for each index; -1 if there is none.
     */
    static long spreadFrom(long output, long tap, int stride) {
        long start = output - tap;
        return start >= 0 && start % stride == 0 ? start / stride : -1;
    }

    /** Row {@code (x, y, n)} holds the elements under the kernel there, column by column, row by row, then by channels. */
    private static void im2col(Step step) {
        OpParameters.Im2col parameters = Parameters.of(step, OpParameters.Im2col.class);
        Shape kernel = step.operand(0).shape();
        Elements data = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        if (parameters.twoDimensional()) {
            Elements.forEachRow(result.shape(), (x, y, n) -> {
                double[] row = new double[Math.toIntExact(result.shape().d0())];
                int i = 0;
                for (long channel = 0; channel < kernel.d2(); channel++) {
                    for (long ky = 0; ky < kernel.d1(); ky++) {
                        for (long kx = 0; kx < kernel.d0(); kx++) {
                            long column = under(parameters.width(), x, kx);
                            row[i++] = data.getOrZero(column, under(parameters.height(), y, ky), channel, n);
                        }
                    }
                }
                result.setRow(x, y, n, row);
            });
        } else {
            Elements.forEachRow(result.shape(), (x, n, _) -> {
                double[] row = new double[Math.toIntExact(result.shape().d0())];
                int i = 0;
                for (long channel = 0; channel < kernel.d1(); channel++) {
                    for (long kx = 0; kx < kernel.d0(); kx++) {
                        row[i++] = data.getOrZero(under(parameters.width(), x, kx), channel, n, 0);
                    }
                }
                result.setRow(x, n, 0, row);
            });
        }
    }

    /** As in two dimensions; the last one of the result holds the layers of one volume after those of another. */
    private static void im2col3d(Step step) {
        OpParameters.Im2col3d parameters = Parameters.of(step, OpParameters.Im2col3d.class);
        Shape kernel = step.operand(0).shape();
        Elements data = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        long layers = result.shape().d3() / (data.shape().d3() / parameters.channels());
        Elements.forEachRow(result.shape(), (x, y, i3) -> {
            long firstChannel = i3 / layers * parameters.channels();
            double[] row = new double[Math.toIntExact(result.shape().d0())];
            int i = 0;
            for (long channel = firstChannel; channel < firstChannel + parameters.channels(); channel++) {
                for (long kz = 0; kz < kernel.d2(); kz++) {
                    for (long ky = 0; ky < kernel.d1(); ky++) {
                        for (long kx = 0; kx < kernel.d0(); kx++) {
                            row[i++] = data.getOrZero(
                                    under(parameters.width(), x, kx),
                                    under(parameters.height(), y, ky),
                                    under(parameters.depth(), i3 % layers, kz),
                                    channel);
                        }
                    }
                }
            }
            result.setRow(x, y, i3, row);
        });
    }

    /** {@code result[t, channel]} is the sum of all {@code a[channel * taps + tap, i]} that fall on it. */
    private static void col2im1d(Step step) {
        OpParameters.Col2im1d parameters = Parameters.of(step, OpParameters.Col2im1d.class);
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        long taps = a.shape().d0() / parameters.channels();
        Elements.forEach(result.shape(), (t, channel, _, _) -> {
            double sum = 0;
            for (long tap = 0; tap < taps; tap++) {
                long i = spreadFrom(t + parameters.padding(), tap, parameters.stride());
                sum += a.getOrZero(channel * taps + tap, i, 0, 0);
            }
            result.set(t, channel, 0, 0, sum);
        });
    }
}
