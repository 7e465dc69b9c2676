package dev.stowage.graph;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;

/**
 * Layers that carry a state from token to token: state spaces, RWKV, linear attention, delta nets. Their f32 results
 * hold the output for each token, followed by the new states; views separate them.
 */
sealed interface RecurrentOps extends OpFamily permits GraphBuilder {

    /**
     * A short convolution along tokens, as f32: {@code data[k - 1 + tokens, inner, sequences]} and
     * {@code kernel[k, inner]} give {@code [inner, tokens, sequences]}.
     */
    default Tensor ssmConv(Tensor data, Tensor kernel) {
        OpCall call = OpCall.of(this, Op.SSM_CONV, data, kernel)
                .require(data.dim(3) == 1, "the data must have three dimensions")
                .require(kernel.shape().isMatrix(), "the kernel must have two dimensions")
                .require(data.dim(1) == kernel.dim(1), "both must have the same number of rows");
        long tokens = data.dim(0) - kernel.dim(0) + 1;
        return call.require(tokens >= 0, "the rows of the data must not be shorter than those of the kernel")
                .result(ElementType.F32, kernel.dim(1), tokens, data.dim(2));
    }

    /** {@link #ssmScan(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, int)} that keeps the last state. */
    default Tensor ssmScan(Tensor state, Tensor x, Tensor dt, Tensor a, Tensor b, Tensor c, Tensor ids) {
        return ssmScan(state, x, dt, a, b, c, ids, 1);
    }

    /**
     * The selective scan of a state space: for each token {@code state = exp(d * a) * state + d * b * x} and
     * {@code y = c * state}, where {@code d = softplus(dt)}. The operands are {@code state[n, size, heads, ...]},
     * {@code x[size, heads, tokens, sequences]}, {@code dt[heads, tokens, sequences]}, {@code a[n or 1, heads]},
     * {@code b} and {@code c[n, groups, tokens, sequences]}, and {@code ids[sequences]} (i32, which state each sequence
     * starts from). The result is a row of all {@code y} and then the states: those of all sequences after
     * the last token, then after the one before, and so on for {@code snapshots} tokens; more than one needs
     * {@code a[1, heads]}.
     */
    default Tensor ssmScan(Tensor state, Tensor x, Tensor dt, Tensor a, Tensor b, Tensor c, Tensor ids, int snapshots) {
        OpCall call = OpCall.of(this, Op.SSM_SCAN, new OpParameters.Snapshots(snapshots), state, x, dt, a, b, c, ids)
                .require(snapshots >= 1, "at least one state must be kept")
                .require(allContiguous(state, dt, a), "state, dt and a must be without gaps")
                .require(
                        hasGaplessMatrix(x) && hasGaplessMatrix(b) && hasGaplessMatrix(c),
                        "dimensions 0 and 1 of x, b and c must be without gaps")
                .require(b.shape().equals(c.shape()), "b and c must have the same shape")
                .require(
                        ids.type() == ElementType.I32 && ids.shape().equals(Shape.of(x.dim(3))),
                        "the ids must be one i32 for each sequence (dimension 3 of x)")
                .require(
                        dt.shape().equals(new Shape(x.dim(1), x.dim(2), x.dim(3), 1)),
                        "dt must be [heads, tokens, sequences] as in x")
                .require(
                        state.dim(1) == x.dim(0) && state.dim(2) == x.dim(1),
                        "dimensions 1 and 2 of the state must be dimensions 0 and 1 of x")
                .require(
                        b.dim(0) == state.dim(0) && b.dim(2) == x.dim(2) && b.dim(3) == x.dim(3),
                        "b and c must be [state, groups, tokens, sequences]")
                .require(a.dim(1) == x.dim(1) && a.shape().isMatrix(), "a must have a row for each head")
                .require(
                        a.dim(0) == 1 || (a.dim(0) == state.dim(0) && snapshots == 1),
                        "the rows of a must be 1 long, or as long as those of the state if one state is kept");
        long states = call.product(snapshots, state.dim(0), state.dim(1), state.dim(2), ids.dim(0));
        return call.result(ElementType.F32, call.sum(x.shape().elements(), states));
    }

    /**
     * RWKV version 6. All are without gaps; {@code k}, {@code v}, {@code r} and {@code decay} are
     * {@code [size, heads, tokens]}, the state {@code [size * size * heads, sequences]}. The result is
     * {@code [size * heads, tokens + size * sequences]}.
     */
    default Tensor rwkvWkv6(Tensor k, Tensor v, Tensor r, Tensor first, Tensor decay, Tensor state) {
        OpCall call = OpCall.of(this, Op.RWKV_WKV6, k, v, r, first, decay, state)
                .require(allContiguous(k, v, r, first, decay, state), "all must be without gaps");
        return headsAndStates(call, state, k, v, r, decay);
    }

    /** RWKV version 7: operands and result are shaped as in {@link #rwkvWkv6}. */
    default Tensor rwkvWkv7(Tensor r, Tensor w, Tensor k, Tensor v, Tensor a, Tensor b, Tensor state) {
        OpCall call = OpCall.of(this, Op.RWKV_WKV7, r, w, k, v, a, b, state)
                .require(allContiguous(r, w, k, v, a, b, state), "all must be without gaps");
        return headsAndStates(call, state, k, r, w, v, a, b);
    }

    /**
     * Gated linear attention: {@code state = gate * state + k * v}, {@code y = scale * q * state}. Operands and result
     * are shaped as in {@link #rwkvWkv6}.
     */
    default Tensor gatedLinearAttn(Tensor k, Tensor v, Tensor q, Tensor gate, Tensor state, float scale) {
        OpParameters parameters = new OpParameters.GatedLinearAttention(scale);
        OpCall call = OpCall.of(this, Op.GATED_LINEAR_ATTN, parameters, k, v, q, gate, state)
                .require(allContiguous(k, v, q, gate, state), "all must be without gaps");
        return headsAndStates(call, state, k, v, q, gate);
    }

    private static Tensor headsAndStates(OpCall call, Tensor state, Tensor first, Tensor... others) {
        long size = first.dim(0);
        long heads = first.dim(1);
        long tokens = first.dim(2);
        long sequences = state.dim(1);
        boolean alike =
                Arrays.stream(others).allMatch(t -> t.dim(0) == size && t.dim(1) == heads && t.dim(2) == tokens);
        return call.require(alike, "all but the state must have the same size, heads and tokens (dimensions 0 to 2)")
                .require(
                        state.shape().elements() == call.product(size, size, heads, sequences),
                        "the state must have size * size * heads elements for each sequence (dimension 1)")
                .result(
                        ElementType.F32,
                        call.product(size, heads),
                        call.sum(tokens, call.product(size, sequences)),
                        1,
                        1);
    }

    /**
     * The gated delta rule, all f32: {@code v[size, heads, tokens, sequences]}, {@code q} and {@code k} of its size,
     * a gate {@code [1 or size, heads, tokens, sequences]}, {@code beta[1, heads, tokens, sequences]} and a state
     * {@code [size, size, heads, sequences]} give {@code [size * heads, tokens * sequences + snapshots * size *
     * sequences]}.
     */
    default Tensor gatedDeltaNet(Tensor q, Tensor k, Tensor v, Tensor gate, Tensor beta, Tensor state, int snapshots) {
        OpCall call = OpCall.of(
                        this, Op.GATED_DELTA_NET, new OpParameters.Snapshots(snapshots), q, k, v, gate, beta, state)
                .require(
                        q.layout().hasContiguousRows()
                                && k.layout().hasContiguousRows()
                                && v.layout().hasContiguousRows(),
                        "the rows of q, k and v must be without gaps")
                .require(allContiguous(gate, beta, state), "gate, beta and state must be without gaps")
                .require(
                        Arrays.stream(new Tensor[] {q, k, v, gate, beta, state})
                                .allMatch(t -> t.type() == ElementType.F32),
                        "all must be f32")
                .require(
                        gate.dim(0) == 1 || gate.dim(0) == v.dim(0),
                        "the rows of the gate must be 1 long or as long as those of v")
                .require(beta.dim(0) == 1, "the rows of beta must be 1 long")
                .require(
                        state.shape().equals(new Shape(v.dim(0), v.dim(0), v.dim(1), v.dim(3))),
                        "the state must be [size, size, heads, sequences] as in v")
                .require(snapshots >= 1, "at least one state must be kept");
        long rows = call.sum(call.product(v.dim(2), v.dim(3)), call.product(snapshots, v.dim(0), v.dim(3)));
        return call.result(ElementType.F32, call.product(v.dim(0), v.dim(1)), rows);
    }

    private static boolean allContiguous(Tensor... tensors) {
        return Arrays.stream(tensors).allMatch(tensor -> tensor.layout().isContiguous());
    }

    private static boolean hasGaplessMatrix(Tensor a) {
        return a.stride(0) == a.type().bytesPerBlock() && a.stride(1) == a.dim(0) * a.stride(0);
    }
}
