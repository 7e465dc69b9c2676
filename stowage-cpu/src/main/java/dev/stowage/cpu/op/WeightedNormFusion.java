package dev.stowage.cpu.op;

import dev.stowage.cpu.kernel.RowNorms;
import dev.stowage.cpu.program.Chain;
import dev.stowage.cpu.program.Fusion;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.List;

/**
 * {@link Op#RMS_NORM} and the {@link Op#MUL} with a weight behind it, as every layer of a transformer has: the row that
 * was normed is weighed as it is written. For f32 with dense rows; the weights may repeat over the rows.
 */
final class WeightedNormFusion implements Fusion {

    @Override
    public String name() {
        return "rms-norm-mul";
    }

    @Override
    public int prepare(Graph graph, int node, Chain chain) {
        if (!chain.isOp(node, Op.RMS_NORM) || !isWeighed(graph, node, chain)) {
            return 0;
        }
        List<NodeBuilder> nodes = chain.open(node, 2);
        if (nodes.isEmpty() || !suits(nodes.getFirst().operand(0), nodes.getLast())) {
            return 0;
        }
        nodes.getLast().add(new Rows(nodes.getFirst(), nodes.getLast()));
        return 2;
    }

    /** Whether the node behind a norm multiplies it with something, and nobody else reads it. */
    static boolean isWeighed(Graph graph, int norm, Chain chain) {
        return chain.isOp(norm + 1, Op.MUL)
                && chain.isReadOnlyBy(norm, norm + 1)
                && graph.sourceAt(graph.firstSlot(norm + 1)) == norm;
    }

    private static boolean suits(Operand from, NodeBuilder product) {
        return isFloats(from) && weighs(product) && Chain.canStream(from, product.result());
    }

    /** Whether a product has a weight for each element of a row, and all in floats. */
    static boolean weighs(NodeBuilder product) {
        Operand weights = product.operand(1);
        return isFloats(product.result())
                && isFloats(weights)
                && weights.d0 == product.result().d0
                && Chain.canStream(weights, product.result());
    }

    static boolean isFloats(Operand operand) {
        return operand.type == ElementType.F32 && operand.hasDenseRows();
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
