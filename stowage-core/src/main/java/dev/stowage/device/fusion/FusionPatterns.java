package dev.stowage.device.fusion;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import java.util.List;

/** Common patterns of transformers. */
public final class FusionPatterns {

    /**
     * An {@link Op#ADD} whose sum goes through {@link Op#RMS_NORM}, and the weight if there is one. The sum is written.
     */
    public static final FusionPattern ADD_RMS_NORM = new Named("add-rms-norm", FusionPatterns::sumAndNorm);

    /** {@link Op#RMS_NORM} and the {@link Op#MUL} with a weight. */
    public static final FusionPattern RMS_NORM_MUL = new Named("rms-norm-mul", FusionPatterns::normAndWeight);

    /** {@link Op#ROPE} and the {@link Op#SET_ROWS} that stores its result in a cache, with views in between. */
    public static final FusionPattern ROPE_SET_ROWS = new Named("rope-set-rows", FusionPatterns::ropeAndStore);

    private FusionPatterns() {}

    /** All of them, in the order in which they are tried: longer ones first. */
    public static List<FusionPattern> all() {
        return List.of(ADD_RMS_NORM, RMS_NORM_MUL, ROPE_SET_ROWS);
    }

    private static int sumAndNorm(ResultUses uses, int node) {
        if (!uses.isOp(node, Op.ADD) || !uses.isOp(node + 1, Op.RMS_NORM) || !uses.isFirstOperand(node, node + 1)) {
            return 0;
        }
        return 1 + Math.max(1, normAndWeight(uses, node + 1));
    }

    private static int normAndWeight(ResultUses uses, int node) {
        boolean isWeighted = uses.isOp(node, Op.RMS_NORM)
                && uses.isOp(node + 1, Op.MUL)
                && uses.isFirstOperand(node, node + 1)
                && uses.isReadOnlyBy(node, node + 1);
        return isWeighted ? 2 : 0;
    }

    private static int ropeAndStore(ResultUses uses, int node) {
        int store = uses.isOp(node, Op.ROPE) ? uses.readerThroughViews(node) : Graph.NO_ID;
        boolean isStored =
                store != Graph.NO_ID && uses.isOp(store, Op.SET_ROWS) && uses.isFirstOperand(store - 1, store);
        return isStored ? store - node + 1 : 0;
    }

    @FunctionalInterface
    private interface Rule {
        int length(ResultUses uses, int node);
    }

    private record Named(String name, Rule rule) implements FusionPattern {

        @Override
        public int length(ResultUses uses, int node) {
            return rule.length(uses, node);
        }
    }
}
