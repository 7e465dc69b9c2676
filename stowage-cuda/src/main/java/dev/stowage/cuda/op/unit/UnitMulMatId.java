package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.matrix.PairProduct;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/**
 * MUL_MAT_ID with experts in units: every pair of a token and one of its experts is a product with one vector; those of many
 * tokens are grouped by expert.
 */
final class UnitMulMatId implements OpKernel {

    /** The most blocks of a grid along its second dimension. */
    private static final long MAX_PAIRS = 65535;

    /** The most tokens whose pairs are not grouped. */
    private static final long FEW_TOKENS = UnitProduct.MAX_TOKENS;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Tensor experts = node.source(0);
        Tensor tokens = node.source(1);
        Tensor ids = node.source(2);
        return Requirements.of(node)
                .require(!experts.isView(), "reads whole experts in units, and " + experts.describe() + " is a view")
                .require(UnitLayout.suits(experts.layout()), "reads experts in units, not " + experts.layout())
                .type(1, ElementType.F32)
                .type(2, ElementType.I32)
                .result(ElementType.F32)
                .require(
                        tokens.layout().hasContiguousRows()
                                && isWhole(tokens, 1, Float.BYTES)
                                && isWhole(tokens, 2, Float.BYTES)
                                && tokens.dim(3) == 1
                                && (tokens.dim(1) == 1 || tokens.dim(1) == ids.dim(0)),
                        "with experts in units takes a row of floats for each token or for each expert of it")
                .require(
                        ids.layout().hasContiguousRows() && isWhole(ids, 1, Integer.BYTES),
                        "with experts in units takes ids without gaps")
                .require(node.layout().isContiguous(), "with experts in units has a result without gaps")
                .require(ids.dim(0) <= MAX_PAIRS, "has at most " + MAX_PAIRS + " experts for each token")
                .require(
                        UnitLayout.of(experts.layout())
                                .filter(layout -> UnitGemv.fits(layout.format(), layout.k(), gpu))
                                .isPresent(),
                        "with experts in units has rows that fit into shared memory")
                .answer();
    }

    private static boolean isWhole(Tensor tensor, int dimension, int bytes) {
        return tensor.dim(dimension) == 1 || tensor.stride(dimension) % bytes == 0;
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        PairProduct pairs = PairProduct.of(step);
        if (step.operand(2).dim(1) > FEW_TOKENS && pairs.fits()) {
            pairs.launch(out, new UnitHalves(step.operand(0)));
        } else {
            launchEach(step, out);
        }
    }

    private static void launchEach(Step step, LaunchSink out) {
        BoundTensor experts = step.operand(0);
        BoundTensor tokens = step.operand(1);
        BoundTensor ids = step.operand(2);
        UnitLayout layout = UnitLayout.of(experts.layout()).orElseThrow();
        int used = Math.toIntExact(ids.dim(0));
        long perExpert = tokens.dim(1) == 1 ? 0 : tokens.stride(1) / Float.BYTES;
        long atOnce = MAX_PAIRS / used;
        ExpertIds chosen = ExpertIds.of(ids, experts.dim(2), out);
        for (long first = 0; first < ids.dim(1); first += atOnce) {
            int count = (int) Math.min(atOnce, ids.dim(1) - first);
            Activations activations = Activations.floats(
                            Pointers.of(DeviceAddress.of(tokens) + first * tokens.stride(2)),
                            tokens.stride(2) / Float.BYTES)
                    .perExpert(perExpert);
            UnitProduct.of(layout.format(), layout.k(), activations, count)
                    .matrix(
                            DeviceAddress.of(experts),
                            layout.rows(),
                            Pointers.of(DeviceAddress.of(step.result()) + first * used * layout.rows() * Float.BYTES),
                            Pointers.NONE)
                    .experts(
                            Pointers.plus(chosen.at(), first * chosen.tokenStride() * Integer.BYTES),
                            used,
                            chosen.tokenStride(),
                            layout.matrixBytes())
                    .launch(out);
        }
    }
}
