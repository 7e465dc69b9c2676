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
 * @param cells the cells of the tokens, in layers without a window
 * @param window the cells of the tokens in layers with a window, if there are such
 * @param outputs the tokens whose logits are wanted
 * @param keyRotation rotates queries and keys before they are quantised, if they are
 * @param valueRotation rotates values before they are quantised, if they are
 * @param random a number from 0 and below 1 for each output, where tokens are {@linkplain TokenChoice.Drawn drawn}
 */
public record TransformerInputs(
        Tensor tokens,
        Tensor embeddings,
        Tensor positions,
        @Nullable Cells cells,
        @Nullable Cells window,
        Tensor outputs,
        @Nullable Tensor keyRotation,
        @Nullable Tensor valueRotation,
        @Nullable Tensor random) {

    /**
     * Which cells of a cache the tokens take and look at.
     *
     * @param keys for each token the cell its key goes to; null in an encoder, which keeps none
     * @param values for each token the cell its value goes to, or for each single number of it where values are stored one
     *     by one; null in an encoder
     * @param mask for each token which cells it may look at; in an encoder the tokens of the pass are the cells
     */
    public record Cells(@Nullable Tensor keys, @Nullable Tensor values, Tensor mask) {}

    private static final int SMALLEST_ROTATION = 64;

    static TransformerInputs of(GraphBuilder b, TransformerShape shape, KeyValueCache cache, Pass pass) {
        int tokens = pass.tokens();
        boolean rotated = !shape.isEncoder() && cache.type().isQuantized() && shape.headSize() % SMALLEST_ROTATION == 0;
        boolean some = shape.hasWindows();
        boolean all = shape.hasWholeLayers();
        return new TransformerInputs(
                b.input("inp_tokens", ElementType.I32, tokens),
                b.input("inp_embd", ElementType.F32, shape.width(), tokens),
                b.input("inp_pos", ElementType.I32, tokens),
                all ? cells(b, "", shape, cache, tokens, pass.cells()) : null,
                some ? cells(b, "_swa", shape, cache, tokens, Math.min(pass.windowCells(), cache.windowCells())) : null,
                b.input("out_ids", ElementType.I32, pass.outputs()),
                rotated ? rotation(b, "attn_inp_k_rot", largestRotation(shape.headSize())) : null,
                rotated ? rotation(b, "attn_inp_v_rot", SMALLEST_ROTATION) : null,
                pass.choice() instanceof TokenChoice.Drawn
                        ? b.input("inp_random", ElementType.F32, 1, pass.outputs())
                        : null);
    }

    private static Cells cells(
            GraphBuilder b, String kind, TransformerShape shape, KeyValueCache cache, int tokens, int count) {
        boolean flash = cache.isForFlash();
        boolean keeps = !shape.isEncoder();
        return new Cells(
                keeps ? b.input("attn_inp_k_idxs" + kind, ElementType.I64, tokens) : null,
                keeps
                        ? b.input("attn_inp_v_idxs" + kind, ElementType.I64, flash ? tokens : tokens * shape.kvWidth())
                        : null,
                b.input("attn_inp_kq_mask" + kind, flash ? ElementType.F16 : ElementType.F32, count, tokens));
    }

    private static Tensor rotation(GraphBuilder b, String name, int size) {
        return b.input(name, ElementType.F32, size, size);
    }

    /** The largest power of two, from the smallest rotation on, that divides the size of a head. */
    private static int largestRotation(int headSize) {
        return Integer.lowestOneBit(headSize);
    }
}
