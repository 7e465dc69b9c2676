package dev.stowage.models;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * What the caller of a transformer writes before each run.
 *
 * @param tokens the number of each token in the vocabulary
 * @param embeddings vectors to begin with in place of tokens; one graph serves both, and this one leaves them unread
 * @param positions where in its text each token stands
 * @param keyCells for each token the cell its key goes to
 * @param valueCells for each token the cell its value goes to, or for each single number of it where values are stored
 *     one by one
 * @param mask for each token which cells it may look at
 * @param outputs the tokens whose logits are wanted
 * @param keyRotation rotates queries and keys before they are quantised, if they are
 * @param valueRotation rotates values before they are quantised, if they are
 * @param random a number from 0 and below 1 for each output, where tokens are {@linkplain TokenChoice.Drawn drawn}
 */
public record TransformerInputs(
        Tensor tokens,
        Tensor embeddings,
        Tensor positions,
        Tensor keyCells,
        Tensor valueCells,
        Tensor mask,
        Tensor outputs,
        @Nullable Tensor keyRotation,
        @Nullable Tensor valueRotation,
        @Nullable Tensor random) {

    private static final int SMALLEST_ROTATION = 64;

    static TransformerInputs of(GraphBuilder b, TransformerShape shape, KeyValueCache cache, Pass pass) {
        int tokens = pass.tokens();
        boolean rotated = cache.type().isQuantized() && shape.headSize() % SMALLEST_ROTATION == 0;
        return new TransformerInputs(
                b.input("inp_tokens", ElementType.I32, tokens),
                b.input("inp_embd", ElementType.F32, shape.width(), tokens),
                b.input("inp_pos", ElementType.I32, tokens),
                b.input("attn_inp_k_idxs", ElementType.I64, tokens),
                b.input("attn_inp_v_idxs", ElementType.I64, cache.isForFlash() ? tokens : tokens * shape.kvWidth()),
                b.input(
                        "attn_inp_kq_mask",
                        cache.isForFlash() ? ElementType.F16 : ElementType.F32,
                        pass.cells(),
                        tokens),
                b.input("out_ids", ElementType.I32, pass.outputs()),
                rotated ? rotation(b, "attn_inp_k_rot", largestRotation(shape.headSize())) : null,
                rotated ? rotation(b, "attn_inp_v_rot", SMALLEST_ROTATION) : null,
                pass.choice() instanceof TokenChoice.Drawn
                        ? b.input("inp_random", ElementType.F32, 1, pass.outputs())
                        : null);
    }

    private static Tensor rotation(GraphBuilder b, String name, int size) {
        return b.input(name, ElementType.F32, size, size);
    }

    /** The largest power of two, from the smallest rotation on, that divides the size of a head. */
    private static int largestRotation(int headSize) {
        return Integer.lowestOneBit(headSize);
    }
}
