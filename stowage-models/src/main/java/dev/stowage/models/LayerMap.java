package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The part of a model that each node, weight and cache belongs to: a layer by its number, {@link LayerPlacement#INPUT}
 * before the first layer, or the number of layers for the output after the last. The builder of a graph knows the part
 * of everything it makes and records it here, so that nothing is ever read from the names of tensors. Immutable.
 */
public final class LayerMap {

    /**
     * The norm of a layer. It reads no weight that would decide which device computes it.
     *
     * @param tensor the normalised rows, before they are multiplied with the weight
     * @param layer the layer that reads them
     * @param tokens how many tokens the graph is for
     */
    public record Norm(Tensor tensor, int layer, int tokens) {}

    private final int layers;
    private final Map<Tensor, Integer> weights;
    private final Map<Tensor, Integer> caches;
    private final long[] firstSerials;
    private final int[] parts;
    private final List<Norm> norms;

    /**
     * A map.
     *
     * @param layers how many layers there are
     * @param weights the part of every weight; never changed
     * @param caches the part of every cache; never changed
     * @param firstSerials the serial of the first tensor of each range of nodes, rising
     * @param parts the part of each of these ranges
     * @param norms the norms of all layers
     */
    LayerMap(
            int layers,
            Map<Tensor, Integer> weights,
            Map<Tensor, Integer> caches,
            long[] firstSerials,
            int[] parts,
            List<Norm> norms) {
        this.layers = layers;
        this.weights = weights;
        this.caches = caches;
        this.firstSerials = firstSerials.clone();
        this.parts = parts.clone();
        this.norms = List.copyOf(norms);
    }

    /** How many layers the model has; also the number of the part that is the output. */
    public int layers() {
        return layers;
    }

    /** The norms of all layers, in the order they were built. */
    public List<Norm> norms() {
        return norms;
    }

    /**
     * The part of a weight, a cache or a node of the graph.
     *
     * @throws InvalidGraphException if the tensor was made before the graph and is not a weight or cache of the model
     */
    public int partOf(Tensor tensor) {
        Integer known = weights.getOrDefault(tensor, caches.get(tensor));
        if (known != null) {
            return known;
        }
        int found = Arrays.binarySearch(firstSerials, tensor.serial());
        int range = found >= 0 ? found : -found - 2;
        if (range < 0) {
            throw new InvalidGraphException(tensor.describe() + " does not belong to this model");
        }
        return parts[range];
    }
}
