package dev.stowage.cuda.op;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.op.elementwise.ElementwiseFamily;
import dev.stowage.cuda.op.matrix.DotRounding;
import dev.stowage.cuda.op.matrix.GatedGemm;
import dev.stowage.cuda.op.matrix.Gemm;
import dev.stowage.cuda.op.matrix.GemmTarget;
import dev.stowage.cuda.op.matrix.HalfMatrix;
import dev.stowage.cuda.op.matrix.HalfWeights;
import dev.stowage.cuda.op.matrix.MatrixFamily;
import dev.stowage.cuda.op.unit.UnitFamily;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Products of many tokens, and what surrounds them in a transformer, with as little written to memory as possible:
 *
 * <pre>
 *   (sum,) norm, weight ──► tokens of products      halves are written, rounded as the weights ask for; no floats
 *   gated unit          ──► tokens of products      the same
 *   two products ──► gated unit ──► tokens          one launch, where there is a kernel for it
 *   product             ──► residual sum, or bias   the product adds it
 * </pre>
 */
final class PromptFusion {

    /** What the rows of tokens are a multiple of, so that every warp of a kernel has whole blocks. */
    private static final int WARP_ELEMENTS = 256;

    /** What a thread reads at once, and how often it does so in a row at most. */
    private static final int ELEMENTS = 8;

    private static final int KEPT = 4;
    private static final int MOST_THREADS = 1024;
    private static final int GLU_THREADS = 256;

    private final BoundGraph bound;
    private final Graph graph;
    private final GraphRelations relations;
    private final boolean[] done;
    private final LaunchList out;

    PromptFusion(BoundGraph bound, boolean[] done, LaunchList out) {
        this.bound = bound;
        this.graph = bound.graph();
        this.relations = new GraphRelations(bound);
        this.done = done;
        this.out = out;
    }

    /** Adds a launch for a node and others, and marks them as done; false if it begins nothing that is fused. */
    boolean launch(int node) {
        return switch (graph.op(node)) {
            case ADD -> isNormOf(node + 1, node) && launchNorm(node, node + 1);
            case RMS_NORM -> launchNorm(Graph.NO_ID, node);
            case GLU -> launchGatedUnit(node);
            case MUL_MAT -> launchGatedProducts(node) || launchSum(node);
            default -> false;
        };
    }

    private boolean end(Integer... nodes) {
        List<Integer> computed =
                Stream.of(nodes).filter(node -> node != Graph.NO_ID).sorted().toList();
        computed.forEach(node -> done[node] = true);
        out.endGroup(computed);
        return true;
    }

    /** The weights of a product of many tokens by tensor cores; none for all else. */
    private Optional<HalfWeights> weights(int node) {
        if (graph.op(node) != Op.MUL_MAT
                || done[node]
                || graph.node(node).shape().isEmpty()) {
            return Optional.empty();
        }
        Step step = Step.of(bound, node);
        return UnitFamily.concerns(step) ? UnitFamily.halfWeights(step) : MatrixFamily.halfWeights(step);
    }

    /** How a result is rounded that only products of many tokens read, so that it need not be written as floats. */
    private Optional<DotRounding> rounding(int id) {
        BoundTensor tensor = relations.tensor(id);
        List<Integer> readers = relations.readers(id);
        if (!relations.isInternal(id)
                || readers.isEmpty()
                || tensor.type() != ElementType.F32
                || tensor.dim(0) % WARP_ELEMENTS != 0
                || tensor.shape().rows() >= Integer.MAX_VALUE
                || !out.derived().canKeep(tensor)) {
            return Optional.empty();
        }
        Set<DotRounding> roundings = EnumSet.noneOf(DotRounding.class);
        for (int reader : readers) {
            Optional<HalfWeights> weights = relations.source(reader, 1) == id ? weights(reader) : Optional.empty();
            if (weights.isEmpty()) {
                return Optional.empty();
            }
            roundings.add(DotRounding.of(weights.get().type()));
        }
        return roundings.size() == 1 ? Optional.of(roundings.iterator().next()) : Optional.empty();
    }

    private boolean isNormOf(int norm, int sum) {
        return norm < graph.nodeCount()
                && graph.op(norm) == Op.RMS_NORM
                && !done[norm]
                && relations.source(norm, 0) == sum;
    }

    /** The RMS norm of a sum, or of what a norm reads where there is no sum, as tokens. */
    private boolean launchNorm(int sum, int norm) {
        int scaled = relations.onlyReader(norm);
        if (scaled == Graph.NO_ID
                || graph.op(scaled) != Op.MUL
                || done[scaled]
                || relations.source(scaled, 0) != norm) {
            return false;
        }
        BoundTensor x = relations.tensor(relations.source(norm, 0));
        BoundTensor weight = relations.tensor(relations.source(scaled, 1));
        Optional<DotRounding> rounding = rounding(scaled);
        if (rounding.isEmpty()
                || !isRow(weight, x.dim(0))
                || !isFloatRows(x, graph.node(scaled).shape())
                || x.dim(0) > (long) KEPT * ELEMENTS * MOST_THREADS
                || (sum != Graph.NO_ID && !isSum(Step.of(bound, sum), weight))) {
            return false;
        }
        HalfMatrix tokens = Gemm.providedTokens(out, relations.tensor(scaled), rounding.get());
        boolean isSum = sum != Graph.NO_ID;
        Launch launch = Launch.of(
                (isSum ? "add_" : "") + "rms_norm_mul_tokens_" + rounding.get().suffix());
        RowGrid.ofKept(x.shape().rows(), x.dim(0) / ELEMENTS, KEPT).applyTo(launch);
        if (isSum) {
            launch.view(Step.of(bound, sum).operand(0)).view(Step.of(bound, sum).operand(1));
        }
        out.add(launch.view(x)
                .view(weight)
                .argument(tokens.base())
                .f32(((OpParameters.Norm) graph.node(norm).parameters()).epsilon())
                .i32(Memory.isConstant(weight) ? 1 : 0)
                .dependent());
        return end(sum, norm, scaled);
    }

    private static boolean isRow(BoundTensor weight, long length) {
        return weight.type() == ElementType.F32
                && weight.shape().elements() == length
                && weight.dim(0) == length
                && Memory.hasVectorRows(weight);
    }

    private static boolean isFloatRows(BoundTensor tensor, Shape shape) {
        return tensor.type() == ElementType.F32 && tensor.shape().equals(shape) && Memory.hasVectorRows(tensor);
    }

    /** Whether the kernel computes a sum: of rows as long, each of which may be stored over one of them. */
    private static boolean isSum(Step add, BoundTensor weight) {
        BoundTensor sum = add.result();
        return isFloatRows(add.operand(0), sum.shape())
                && isFloatRows(add.operand(1), sum.shape())
                && Memory.canStream(add.operand(0), sum)
                && Memory.canStream(add.operand(1), sum)
                && Memory.areApart(weight, sum);
    }

    /** A gated unit as tokens. */
    private boolean launchGatedUnit(int node) {
        Step step = Step.of(bound, node);
        Optional<DotRounding> rounding = rounding(node);
        if (rounding.isEmpty()
                || !step.hasOperand(1)
                || !isFloatRows(step.operand(0), step.result().shape())
                || !isFloatRows(step.operand(1), step.result().shape())) {
            return false;
        }
        HalfMatrix tokens = Gemm.providedTokens(out, step.result(), rounding.get());
        long units = step.result().shape().elements() / ELEMENTS;
        Launch launch = Launch.of("glu_tokens_" + rounding.get().suffix())
                .grid(Math.ceilDiv(units, GLU_THREADS))
                .block(GLU_THREADS)
                .dependent();
        out.add(ElementwiseFamily.addGluFunction(launch, step.parameters())
                .view(step.operand(0))
                .view(step.operand(1))
                .argument(tokens.base()));
        return end(node);
    }

    /** Two products of the same tokens, of which this is the first, and their gated unit as tokens. */
    private boolean launchGatedProducts(int node) {
        int unit = relations.onlyReader(node);
        if (unit == Graph.NO_ID || graph.op(unit) != Op.GLU || done[unit]) {
            return false;
        }
        int gate = relations.source(unit, 0);
        int up = relations.source(unit, 1);
        int other = gate == node ? up : gate;
        if (other == Graph.NO_ID
                || other == node
                || relations.onlyReader(other) != unit
                || relations.source(other, 1) != relations.source(node, 1)
                || !areWeightsThere(node, other)) {
            return false;
        }
        Optional<HalfWeights> ofGate = weights(gate);
        Optional<HalfWeights> ofUp = weights(up);
        Optional<DotRounding> rounding = rounding(unit);
        BoundTensor result = relations.tensor(unit);
        if (ofGate.isEmpty()
                || ofUp.isEmpty()
                || rounding.isEmpty()
                || !result.shape().equals(graph.node(node).shape())
                || !GatedGemm.fits(
                        out.gpu(), ofGate.get(), ofUp.get(), graph.node(unit).parameters(), rounding.get())) {
            return false;
        }
        HalfMatrix tokens = Gemm.tokens(
                out, relations.tensor(relations.source(node, 1)), ofGate.get().type());
        HalfMatrix target = Gemm.providedTokens(out, result, rounding.get());
        GatedGemm.of(ofGate.get(), ofUp.get(), graph.node(unit).parameters(), rounding.get())
                .launch(out, tokens, target);
        return end(gate, up, unit);
    }

    /** Whether the weights of a later product are those it will have when an earlier one is computed. */
    private boolean areWeightsThere(int node, int later) {
        int weights = relations.source(later, 0);
        return !(graph.isNode(weights) && weights > node) && !relations.isWrittenBetween(node, later, weights, done);
    }

    /** A product and what is added to its result. */
    private boolean launchSum(int node) {
        Optional<HalfWeights> weights = weights(node);
        int sum = weights.isEmpty() ? Graph.NO_ID : relations.onlyReader(node);
        if (sum == Graph.NO_ID || graph.op(sum) != Op.ADD || done[sum]) {
            return false;
        }
        int other = relations.source(sum, relations.source(sum, 0) == node ? 1 : 0);
        if (other == node || (other > node && graph.isNode(other)) || !isAddend(node, sum, other)) {
            return false;
        }
        BoundTensor result = relations.tensor(sum);
        BoundTensor addend = relations.tensor(other);
        HalfMatrix tokens = Gemm.tokens(
                out, relations.tensor(relations.source(node, 1)), weights.get().type());
        boolean isBias = addend.shape().rows() == 1;
        Gemm.launch(
                out,
                weights.get(),
                tokens,
                new GemmTarget(
                        DeviceAddress.of(result), result.dim(0), DeviceAddress.of(addend), isBias ? 0 : addend.dim(0)));
        return end(node, sum);
    }

    /** Whether a product can be stored as a sum: nothing uses that memory until the sum would be computed. */
    private boolean isAddend(int node, int sum, int other) {
        BoundTensor result = relations.tensor(sum);
        BoundTensor addend = relations.tensor(other);
        boolean isRow = isRow(addend, result.dim(0)) && Memory.areApart(addend, result);
        boolean isEach = addend.type() == ElementType.F32
                && addend.shape().equals(result.shape())
                && addend.layout().isContiguous()
                && Memory.canStream(addend, result);
        return (isRow || isEach)
                && result.type() == ElementType.F32
                && result.layout().isContiguous()
                && result.shape().equals(graph.node(node).shape())
                && !relations.isTouchedBetween(node, sum, sum, done)
                && !relations.isWrittenBetween(node, sum, other, done);
    }
}
