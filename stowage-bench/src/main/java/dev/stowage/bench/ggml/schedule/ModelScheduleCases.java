package dev.stowage.bench.ggml.schedule;

import dev.stowage.bench.ggml.schedule.LiveScheduleCase.Place;
import dev.stowage.memory.BufferUsage;
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
import java.util.function.Supplier;

/** Questions for schedulers about real models: each spread in every way over two accelerators and a processor. */
final class ModelScheduleCases {

    private static final List<String> MODELS = List.of("small", "llama-3-8b", "mistral-7b", "qwen-3-0.6b");
    private static final List<Integer> TOKENS = List.of(1, 512);

    private ModelScheduleCases() {}

    /** All of them; each is made when it is asked for. */
    static List<Supplier<LiveScheduleCase>> all() {
        List<Supplier<LiveScheduleCase>> cases = new ArrayList<>();
        for (String model : MODELS) {
            for (LayerSplit spread : LayerSplit.values()) {
                for (int tokens : TOKENS) {
                    for (boolean pipelined : List.of(false, true)) {
                        cases.add(() -> of(model, spread, tokens, pipelined));
                    }
                }
            }
        }
        return cases;
    }

    private static LiveScheduleCase of(String name, LayerSplit spread, int tokens, boolean pipelined) {
        TransformerShape shape = ModelShapes.transformer(name).withoutRopeFactors();
        ModelGraph model = TransformerGraph.withoutMemory(shape, TransformerOptions.ofTokens(tokens));
        Map<Tensor, Place> places = new HashMap<>();
        for (Tensor weight : model.weights()) {
            places.put(weight, new Place(spread.device(weight, model.layers()), BufferUsage.WEIGHTS));
        }
        for (Tensor cache : model.cache()) {
            places.put(cache, new Place(spread.device(cache, model.layers()), BufferUsage.ANY));
        }
        return new LiveScheduleCase(
                name + " " + spread + " of " + tokens + " tokens",
                model.graph(),
                spread.devices(),
                places,
                Map.of(),
                pipelined,
                spread.offloads());
    }
}
