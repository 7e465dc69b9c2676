package dev.stowage.cpu.op.norm;

import dev.stowage.cpu.kernel.norm.RowNorms;
import dev.stowage.cpu.program.Fusion;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.device.fusion.FusionPattern;
import dev.stowage.device.fusion.FusionPatterns;
import dev.stowage.tensor.OpParameters;
import java.util.List;

/**
 * {@link FusionPatterns#RMS_NORM_MUL}, as every layer of a transformer has: the normalised row is multiplied with the
 * weights as it is written. For f32 with dense rows; the weights may repeat over the rows.
 */
final class RmsNormMulFusion implements Fusion {

    @Override
    public FusionPattern pattern() {
        return FusionPatterns.RMS_NORM_MUL;
    }

    @Override
    public boolean prepare(List<NodeBuilder> nodes) {
        if (!suits(nodes.getFirst().operand(0), nodes.getLast())) {
            return false;
        }
        nodes.getLast().add(new Rows(nodes.getFirst(), nodes.getLast()));
        return true;
    }

    private static boolean suits(Operand from, NodeBuilder product) {
        return from.isDenseF32() && weighs(product) && from.canStreamTo(product.result());
    }

    /** Whether a product has a weight for each element of a row, and all in floats. */
    static boolean weighs(NodeBuilder product) {
        Operand weights = product.operand(1);
        return product.result().isDenseF32()
                && weights.isDenseF32()
                && weights.d0 == product.result().d0
                && weights.canStreamTo(product.result());
    }

    private static final class Rows extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.2;

        private final Operand from;
        private final Operand weights;
        private final Operand to;
        private final double epsilon;

        Rows(NodeBuilder norm, NodeBuilder product) {
            super(product.result().rows(), product.result().d0 * NANOS_PER_ELEMENT, product.threads());
            this.from = norm.operand(0);
            this.weights = product.operand(1);
            this.to = product.result();
            this.epsilon = norm.parameters(OpParameters.Norm.class).epsilon();
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                long i1 = row % to.d1;
                long i2 = row / to.d1 % to.d2;
                long i3 = row / (to.d1 * to.d2);
                RowNorms.weightedRms(
                        from.at(i1, i2, i3), weights.repeated(i1, i2, i3), to.at(i1, i2, i3), to.d0, epsilon);
            }
        }
    }
}
