package dev.stowage.reference.kernel.sequence;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RestrictedKernel;
import dev.stowage.reference.kernel.matrix.MatrixKernels;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.util.Map;

/** Layers that carry a state from token to token; {@code i} and {@code j} count the rows and columns of a state. */
public final class RecurrentKernels {

    private RecurrentKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.SSM_CONV, RecurrentKernels::ssmConv);
        kernels.put(Op.SSM_SCAN, new SsmScanKernel());
        Kernel wkv6 = new LinearAttentionScan(5, RecurrentKernels::rwkvWkv6);
        kernels.put(Op.RWKV_WKV6, new RestrictedKernel(wkv6, node -> canRunWkv6(wkv6, node)));
        kernels.put(Op.RWKV_WKV7, new LinearAttentionScan(6, RecurrentKernels::rwkvWkv7));
        kernels.put(Op.GATED_LINEAR_ATTN, new LinearAttentionScan(4, RecurrentKernels::gatedLinearAttention));
        kernels.put(Op.GATED_DELTA_NET, new GatedDeltaNetKernel());
    }

    /** {@code result[inner, token, s] = sum(kernel[k, inner] * data[token + k, inner, s])}. */
    private static void ssmConv(Step step) {
        Elements data = Elements.of(step.operand(0));
        Elements kernel = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        Elements.forEach(result.shape(), (inner, token, sequence, _) -> {
            double sum = 0;
            for (long k = 0; k < kernel.shape().d0(); k++) {
                sum += kernel.get(k, inner, 0, 0) * data.get(token + k, inner, sequence, 0);
            }
            result.set(inner, token, sequence, 0, sum);
        });
    }

    /**
     * {@code y[j] = sum of r[i] * (first[i] * k[i] * v[j] + state)}, then
     * {@code state = decay[i] * state + k[i] * v[j]}.
     */
    private static LinearAttentionScan.Update rwkvWkv6(Step step) {
        Elements ks = Elements.of(step.operand(0));
        Elements vs = Elements.of(step.operand(1));
        Elements rs = Elements.of(step.operand(2));
        Elements firsts = Elements.of(step.operand(3));
        Elements decays = Elements.of(step.operand(4));
        return (state, head, token, y) -> {
            double[] v = vs.row(head, token, 0);
            for (int i = 0; i < y.length; i++) {
                double k = ks.get(i, head, token, 0);
                double r = rs.get(i, head, token, 0);
                double first = firsts.getInOrder(head * y.length + i);
                double decay = decays.get(i, head, token, 0);
                for (int j = 0; j < y.length; j++) {
                    y[j] += r * (first * k * v[j] + state[i][j]);
                    state[i][j] = decay * state[i][j] + k * v[j];
                }
            }
        };
    }

    private static OpSupport canRunWkv6(Kernel scan, Tensor node) {
        long needed = node.source(0).dim(0) * node.source(0).dim(1);
        long given = node.source(3).shape().elements();
        return given < needed
                ? OpSupport.no("the first token's weights must be " + needed
                        + ", one for each element of each head, not " + given)
                : scan.supports(node);
    }

    /**
     * {@code state = state * w[j] + v[i] * k[j] + dot(a, row of state) * b[j]}, then
     * {@code y[i] = dot(r, row of state)}.
     */
    private static LinearAttentionScan.Update rwkvWkv7(Step step) {
        Elements rs = Elements.of(step.operand(0));
        Elements ws = Elements.of(step.operand(1));
        Elements ks = Elements.of(step.operand(2));
        Elements vs = Elements.of(step.operand(3));
        Elements as = Elements.of(step.operand(4));
        Elements bs = Elements.of(step.operand(5));
        return (state, head, token, y) -> {
            double[] w = ws.row(head, token, 0);
            double[] k = ks.row(head, token, 0);
            double[] v = vs.row(head, token, 0);
            double[] b = bs.row(head, token, 0);
            for (int i = 0; i < y.length; i++) {
                double seen = MatrixKernels.dot(as.row(head, token, 0), state[i]);
                for (int j = 0; j < y.length; j++) {
                    state[i][j] = state[i][j] * w[j] + v[i] * k[j] + seen * b[j];
                }
                y[i] = MatrixKernels.dot(rs.row(head, token, 0), state[i]);
            }
        };
    }

    /** {@code state = gate[i] * state + k[i] * v[j]}, then {@code y[j] = sum of scale * q[i] * state}. */
    private static LinearAttentionScan.Update gatedLinearAttention(Step step) {
        float scale =
                Parameters.of(step, OpParameters.GatedLinearAttention.class).scale();
        Elements ks = Elements.of(step.operand(0));
        Elements vs = Elements.of(step.operand(1));
        Elements qs = Elements.of(step.operand(2));
        Elements gates = Elements.of(step.operand(3));
        return (state, head, token, y) -> {
            double[] v = vs.row(head, token, 0);
            for (int i = 0; i < y.length; i++) {
                double k = ks.get(i, head, token, 0);
                double q = qs.get(i, head, token, 0) * scale;
                double gate = gates.get(i, head, token, 0);
                for (int j = 0; j < y.length; j++) {
                    state[i][j] = gate * state[i][j] + k * v[j];
                    y[j] += q * state[i][j];
                }
            }
        };
    }
}
