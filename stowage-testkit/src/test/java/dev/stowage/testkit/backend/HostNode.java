package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Step;
import dev.stowage.device.compare.GraphCopy;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.ElementCodec;
import dev.stowage.testkit.op.OpRun;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One node of a graph brought to host memory, where the reference computes it: as it is, or with operands, parameters
 * or results that a defect has changed.
 */
final class HostNode {

    private final Step original;
    private final Tensor node;
    private final Graph graph;
    private final Backend reference;

    /** The one node of a graph, and its copy in host memory. */
    HostNode(BoundGraph original, GraphCopy copy, Backend reference) {
        this.original = Step.of(original, 0);
        this.node = copy.copyOf(original.graph().node(0));
        this.graph = copy.graph();
        this.reference = reference;
    }

    /** Whether the node is stored where that operand is on the device, with the same layout. */
    boolean isInPlaceOf(int slot) {
        if (!original.hasOperand(slot)) {
            return false;
        }
        BoundTensor operand = original.operand(slot);
        BoundTensor result = original.result();
        return operand.buffer().equals(result.buffer())
                && operand.offset() == result.offset()
                && operand.layout().equals(result.layout());
    }

    Tensor node() {
        return node;
    }

    Tensor operand(int slot) {
        return node.source(slot);
    }

    OpParameters parameters() {
        return node.parameters();
    }

    /** Computes the node as it should be. */
    void compute() {
        reference.compute(graph);
    }

    /** Computes the node with other parameters. */
    void computeWith(OpParameters parameters) {
        compute(parameters, sources());
    }

    /** Computes the node with another operand in that slot, or without it. */
    void computeWith(int slot, @Nullable Tensor operand) {
        List<@Nullable Tensor> sources = sources();
        sources.set(slot, operand);
        compute(node.parameters(), sources);
    }

    /** Computes the node with its first two operands exchanged. */
    void computeSwapped() {
        List<@Nullable Tensor> sources = sources();
        sources.set(0, operand(1));
        sources.set(1, operand(0));
        compute(node.parameters(), sources);
    }

    private List<@Nullable Tensor> sources() {
        List<@Nullable Tensor> sources = new ArrayList<>();
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            sources.add(node.hasSource(slot) ? node.source(slot) : null);
        }
        return sources;
    }

    private void compute(OpParameters parameters, List<@Nullable Tensor> sources) {
        Tensor.Builder builder = Tensor.builder(node.layout()).op(node.op(), parameters);
        for (int slot = 0; slot < sources.size(); slot++) {
            Tensor source = sources.get(slot);
            if (source != null) {
                builder.sourceAt(slot, source);
            }
        }
        if (node.isView()) {
            builder.viewOf(node.viewSource(), node.viewOffset());
        }
        Tensor changed = builder.build();
        if (!changed.isView()) {
            Buffer.of(node).place(changed, node.storageOffset());
        }
        reference.compute(Graph.listed(List.of(changed), List.of()));
    }

    /** The first bytes of an operand as a tensor without gaps of that shape. */
    static Tensor beginning(Tensor operand, Shape shape) {
        Tensor root = operand.isView() ? operand.viewSource() : operand;
        return Tensor.builder(Layout.contiguous(operand.type(), shape))
                .viewOf(root, operand.viewOffset())
                .build();
    }

    /** A part of an operand from its beginning on, with its strides. */
    static Tensor part(Tensor operand, Shape shape) {
        Tensor root = operand.isView() ? operand.viewSource() : operand;
        return Tensor.builder(Layout.strided(operand.type(), shape, operand.strides()))
                .viewOf(root, operand.viewOffset())
                .build();
    }

    /** The same layout from the first byte of the operand's source. */
    static Tensor withoutOffset(Tensor operand) {
        Tensor root = operand.isView() ? operand.viewSource() : operand;
        return Tensor.builder(operand.layout()).viewOf(root, 0).build();
    }

    /** The numbers of a result without gaps. */
    double[] result() {
        return OpRun.read(node);
    }

    /** Replaces the numbers of a result without gaps. */
    void setResult(double[] values) {
        MemorySegment.copy(
                MemorySegment.ofArray(ElementCodec.encode(node.type(), node.dim(0), values)),
                0,
                TensorData.segment(node),
                0,
                node.byteSize());
    }

    /** Changes every number of a result without gaps. */
    void changeResult(DoubleUnaryOperator change) {
        if (node.layout().isContiguous()) {
            double[] values = result();
            for (int i = 0; i < values.length; i++) {
                values[i] = change.applyAsDouble(values[i]);
            }
            setResult(values);
        }
    }

    /** Replaces the whole numbers of an operand without gaps. */
    void changeNumbers(int slot, LongUnaryOperator change) {
        Tensor operand = operand(slot);
        if (operand.type() == ElementType.I32 && operand.layout().isContiguous()) {
            int[] numbers = TensorData.getInts(operand);
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = (int) change.applyAsLong(numbers[i]);
            }
            TensorData.setInts(operand, numbers);
        }
    }
}
