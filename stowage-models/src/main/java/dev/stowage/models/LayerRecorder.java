package dev.stowage.models;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Records a {@link LayerMap} while a graph is built. Blocks say which part they build; everything the builder makes from
 * then on belongs to it, until another part is entered.
 *
 * <pre>
 *   tensors in the order they are made   inputs, embeddings | layer 0 ...... | layer 1 ...... | output ..
 *   entered at                           -1                 | 0              | 1              | layers
 * </pre>
 */
final class LayerRecorder {

    /** From this tensor of the builder on, everything belongs to that part. */
    private record Range(int firstTensor, int part) {}

    private final GraphBuilder ops;
    private final List<Range> ranges = new ArrayList<>();
    private final List<LayerMap.Norm> norms = new ArrayList<>();
    private int part;

    /** Starts in a part. */
    LayerRecorder(GraphBuilder ops, int part) {
        this.ops = ops;
        this.part = part;
        ranges.add(new Range(ops.tensors().size(), part));
    }

    /** Says that what is made from now on belongs to a part. */
    void enter(int next) {
        if (next != part) {
            part = next;
            ranges.add(new Range(ops.tensors().size(), next));
        }
    }

    /** The part that is being built. */
    int part() {
        return part;
    }

    /** Records the norm of the layer that is being built. */
    void norm(Tensor normed, int tokens) {
        norms.add(new LayerMap.Norm(normed, part, tokens));
    }

    /**
     * What has been recorded.
     *
     * @param layers how many layers the model has
     * @param weights the part of every weight; never changed
     * @param caches the part of every cache; never changed
     */
    LayerMap map(int layers, Map<Tensor, Integer> weights, Map<Tensor, Integer> caches) {
        List<Tensor> made = ops.tensors();
        List<Range> used = ranges.stream()
                .filter(range -> range.firstTensor() < made.size())
                .toList();
        long[] firstSerials = used.stream()
                .mapToLong(range -> made.get(range.firstTensor()).serial())
                .toArray();
        int[] parts = used.stream().mapToInt(Range::part).toArray();
        return new LayerMap(layers, weights, caches, firstSerials, parts, norms);
    }
}
