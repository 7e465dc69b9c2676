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
import org.jspecify.annotations.Nullable;

/**
 * {@link FusionPatterns#ADD_RMS_NORM}, mostly with a weight: where the layers of a transformer meet. The sum is
 * written, as others read it too, and normalised while it is still in the L1 cache. For f32 with dense rows and terms
 * of one shape.
 */
final class AddRmsNormFusion implements Fusion {

    @Override
    public FusionPattern pattern() {
        return FusionPatterns.ADD_RMS_NORM;
    }

    @Override
    public boolean prepare(List<NodeBuilder> nodes) {
        if (!suits(nodes)) {
            return false;
        }
        nodes.getLast().add(new Rows(nodes));
        return true;
    }

    private static boolean suits(List<NodeBuilder> nodes) {
        Operand a = nodes.getFirst().operand(0);
        Operand b = nodes.getFirst().operand(1);
        Operand sum = nodes.getFirst().result();
        Operand to = nodes.getLast().result();
        return isTerm(a, sum, to)
                && isTerm(b, sum, to)
                && isTerm(sum, sum, to)
                && to.isDenseF32()
                && (nodes.size() == 2 || isWeighed(nodes.getLast(), sum));
    }

    private static boolean isTerm(Operand term, Operand sum, Operand to) {
        return term.isDenseF32()
                && term.tensor.shape().equals(sum.tensor.shape())
                && term.canStreamTo(sum)
                && term.canStreamTo(to);
    }

    private static boolean isWeighed(NodeBuilder product, Operand sum) {
        return RmsNormMulFusion.weighs(product) && product.operand(1).isApartFrom(sum);
    }

    private static final class Rows extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.3;

        private final Operand a;
        private final Operand b;
        private final Operand sum;
        private final @Nullable Operand weights;
        private final Operand to;
        private final double epsilon;

        Rows(List<NodeBuilder> nodes) {
            super(
                    nodes.getLast().result().rows(),
                    nodes.getLast().result().d0 * NANOS_PER_ELEMENT,
                    nodes.getLast().threads());
            NodeBuilder last = nodes.getLast();
            this.a = nodes.getFirst().operand(0);
            this.b = nodes.getFirst().operand(1);
            this.sum = nodes.getFirst().result();
            this.weights = nodes.size() == 3 ? last.operand(1) : null;
            this.to = last.result();
            this.epsilon = nodes.get(1).parameters(OpParameters.Norm.class).epsilon();
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                long i1 = row % to.d1;
                long i2 = row / to.d1 % to.d2;
                long i3 = row / (to.d1 * to.d2);
                long ofA = a.at(i1, i2, i3);
                long ofB = b.at(i1, i2, i3);
                long ofSum = sum.at(i1, i2, i3);
                if (weights == null) {
                    RowNorms.rmsOfSum(ofA, ofB, ofSum, to.at(i1, i2, i3), to.d0, epsilon);
                } else {
                    long ofWeights = weights.repeated(i1, i2, i3);
                    RowNorms.weightedRmsOfSum(ofA, ofB, ofSum, ofWeights, to.at(i1, i2, i3), to.d0, epsilon);
                }
            }
        }
    }
}
