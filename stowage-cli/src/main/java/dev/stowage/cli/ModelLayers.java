package dev.stowage.cli;

import dev.stowage.graph.Graph;
import dev.stowage.models.LayerPlacement;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ResNetShape;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts a model is dealt out in, as llama.cpp counts them: its layers, and behind them the output as one more. What
 * tokens are looked up in is {@link #INPUT}, and stays with the processor.
 *
 * <p>Two weights are read in other parts than their own: the factors of the rope in every layer, and embeddings in the
 * output where they serve as its matrix too. Those {@linkplain #foreign() reads} are listed.
 */
final class ModelLayers {
    /** Stands for what comes before the first layer. */
    static final int INPUT = LayerPlacement.INPUT;

    private static final String EMBEDDINGS = "token_embd.weight";
    private static final String ROPE_FACTORS = "rope_freqs.weight";
    private static final Set<String> AFTER_LAYERS =
            Set.of("output.weight", "output.bias", "output_norm.weight", "fc.weight", "fc.bias");
    private static final Pattern LAYER = Pattern.compile("blk\\.(\\d+)\\..*|cache_[kv]_l(\\d+)");
    private static final Pattern BLOCK = Pattern.compile("layer(\\d+)\\.(\\d+)\\..*");

    /**
     * A read of a weight in a part that is not its own.
     *
     * @param slot where in the graph it is read
     * @param weight what is read
     * @param part the part it is read in
     */
    record Foreign(int slot, Tensor weight, int part) {}

    private final ModelGraph model;
    private final int count;
    private final List<Foreign> foreign = new ArrayList<>();

    private ModelLayers(ModelGraph model) {
        this.model = model;
        this.count = switch (model.shape()) {
            case TransformerShape transformer -> transformer.layers();
            case ResNetShape network -> sum(network.blocks());
        };
        findForeign();
    }

    static ModelLayers of(ModelGraph model) {
        return new ModelLayers(model);
    }

    /** How many layers the model has; also the number of the part that is the output. */
    int count() {
        return count;
    }

    /** The reads of weights in parts that are not their own. */
    List<Foreign> foreign() {
        return foreign;
    }

    /** The part that a weight or a cache belongs to. */
    int partOf(Tensor tensor) {
        String name = tensor.name();
        if (name.equals(EMBEDDINGS)) {
            return INPUT;
        }
        if (AFTER_LAYERS.contains(name)) {
            return count;
        }
        return switch (model.shape()) {
            case TransformerShape _ -> layer(name);
            case ResNetShape network -> block(name, network);
        };
    }

    private static int layer(String name) {
        Matcher layer = LAYER.matcher(name);
        if (!layer.matches()) {
            return 0;
        }
        return Integer.parseInt(layer.group(1) == null ? layer.group(2) : layer.group(1));
    }

    private static int block(String name, ResNetShape network) {
        Matcher block = BLOCK.matcher(name);
        if (!block.matches()) {
            return 0;
        }
        int stage = Integer.parseInt(block.group(1)) - 1;
        return sum(network.blocks().subList(0, stage)) + Integer.parseInt(block.group(2));
    }

    private static int sum(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).sum();
    }

    /** The parts follow one another in the graph, and the first weight each of them reads is its own. */
    private void findForeign() {
        Graph graph = model.graph();
        int part = INPUT;
        for (int node = 0; node < graph.nodeCount(); node++) {
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                int source = graph.sourceAt(slot);
                if (source == Graph.NO_ID || !graph.isWeight(source)) {
                    continue;
                }
                Tensor weight = graph.tensor(source);
                if (!weight.name().equals(EMBEDDINGS) && !weight.name().equals(ROPE_FACTORS)) {
                    part = partOf(weight);
                } else if (partOf(weight) != part) {
                    foreign.add(new Foreign(slot, weight, part));
                }
            }
        }
    }
}
