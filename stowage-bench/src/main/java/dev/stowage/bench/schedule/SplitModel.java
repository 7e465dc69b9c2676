package dev.stowage.bench.schedule;

import dev.stowage.bench.ggml.schedule.LayerSplit;
import dev.stowage.bench.ggml.schedule.NoOpRules;
import dev.stowage.device.Backend;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.models.LayerMap;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A model whose weights and caches are in the memory of devices that do nothing, with a backend of ours for each; and two
 * graphs of it that are built in the same way, as for two tokens one after the other.
 */
final class SplitModel implements AutoCloseable {

    private final LayerSplit spread;
    private final List<ModelGraph> models;
    private final List<Backend> backends = new ArrayList<>();
    private final Map<String, BufferType> memory = new HashMap<>();

    SplitModel(String shape, int tokens, LayerSplit spread) {
        TransformerShape transformer = ModelShapes.transformer(shape).withoutRopeFactors();
        TransformerOptions options = TransformerOptions.ofTokens(tokens);
        this.spread = spread;
        this.models = List.of(
                TransformerGraph.withoutMemory(transformer, options),
                TransformerGraph.withoutMemory(transformer, options));
        for (NoOpRules rules : spread.devices()) {
            NoOpDevice device = new NoOpDevice(rules);
            memory.put(rules.name(), device.bufferType());
            backends.add(device.open());
        }
        ModelGraph first = models.getFirst();
        first.weights().forEach(tensor -> place(tensor, BufferUsage.WEIGHTS, first.layers()));
        first.cache().forEach(tensor -> place(tensor, BufferUsage.ANY, first.layers()));
        placeAlike(models.getLast().weights(), first.weights());
        placeAlike(models.getLast().cache(), first.cache());
    }

    private static void placeAlike(List<Tensor> tensors, List<Tensor> placed) {
        for (int i = 0; i < tensors.size(); i++) {
            Buffer.of(placed.get(i)).place(tensors.get(i), placed.get(i).storageOffset());
        }
    }

    private void place(Tensor tensor, BufferUsage usage, LayerMap layers) {
        BufferType type = Objects.requireNonNull(memory.get(spread.device(tensor, layers)));
        Buffer buffer = type.allocate(type.allocationSize(tensor));
        buffer.setUsage(usage).place(tensor, 0);
    }

    /** Graph number 0 or 1. */
    Graph graph(int number) {
        return models.get(number).graph();
    }

    List<Backend> backends() {
        return backends;
    }

    /** How many tensors llama.cpp makes room for in a scheduler for such a model. */
    long room() {
        return Math.max(1024, 8L * models.getFirst().weights().size());
    }

    @Override
    public void close() {
        backends.forEach(Backend::close);
    }
}
