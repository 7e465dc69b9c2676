package dev.stowage.graph;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Creates tensors: leaves, and results of ops. Each op function checks its operands, derives type and shape of the
 * result exactly as ggml does, and returns a tensor that describes the computation; nothing is computed and no memory
 * is allocated. The op functions are inherited from package-private interfaces, one per family of ops.
 *
 * {@snippet :
 * GraphBuilder b = new GraphBuilder();
 * Tensor w = b.weight("w", ElementType.Q8_0, 4096, 11008);
 * Tensor x = b.input("x", ElementType.F32, 4096, 512);
 * Tensor y = b.silu(b.mulMat(w, x)).asOutput();
 * Graph graph = b.build(y);
 * }
 *
 * <p>Operands may come from other builders: weights are often created by one and used by many. A refused op leaves the
 * builder unchanged. Not thread-safe.
 */
public final class GraphBuilder
        implements ElementwiseOps,
                UnaryOps,
                GluOps,
                NormOps,
                MatrixOps,
                AttentionOps,
                PositionOps,
                ShapeOps,
                CopyOps,
                RowOps,
                ReductionOps,
                WindowOps,
                ConvolutionOps,
                ImageOps,
                GeneratorOps,
                RecurrentOps,
                HyperConnectionOps,
                CustomOps {

    private final List<Tensor> tensors = new ArrayList<>();

    /** An empty builder. */
    public GraphBuilder() {}

    /**
     * A leaf of that type and shape, innermost dimension first.
     *
     * @throws InvalidTensorException if there is no such tensor
     */
    public Tensor tensor(ElementType type, long... dimensions) {
        return keep(Tensor.leaf(Layout.contiguous(type, dimensions)));
    }

    /** A leaf with a name that the caller writes before each run. */
    public Tensor input(String name, ElementType type, long... dimensions) {
        Objects.requireNonNull(name);
        return tensor(type, dimensions).named(name).asInput();
    }

    /** A leaf with a name that keeps memory of its own for many runs. */
    public Tensor weight(String name, ElementType type, long... dimensions) {
        Objects.requireNonNull(name);
        return tensor(type, dimensions).named(name).asWeight();
    }

    /** A leaf of the same type and shape, without gaps whatever the strides of the model. */
    public Tensor duplicate(Tensor model) {
        return keep(Tensor.leaf(Layout.contiguous(model.type(), model.shape())));
    }

    /** A leaf that shares all bytes of another tensor and has its layout. */
    public Tensor viewOf(Tensor source) {
        return keep(Tensor.builder(source.layout())
                .viewOf(source, 0)
                .name(OpCall.derivedName(source, "view"))
                .build());
    }

    /** Every tensor created by this builder, in order of creation. */
    public List<Tensor> tensors() {
        return List.copyOf(tensors);
    }

    /** The graph that computes these tensors, in ggml's build order: the roots one after the other, sources first. */
    public Graph build(Tensor... roots) {
        return Graph.of(roots);
    }

    /** Records a tensor created by this builder. */
    Tensor keep(Tensor tensor) {
        tensors.add(tensor);
        return tensor;
    }

    /** Runs steps that create several tensors; if one is refused, those created before it are removed again. */
    Tensor allOrNone(Supplier<Tensor> steps) {
        int before = tensors.size();
        try {
            return steps.get();
        } catch (RuntimeException refused) {
            tensors.subList(before, tensors.size()).clear();
            throw refused;
        }
    }
}
