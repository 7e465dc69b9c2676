package dev.stowage.models;

import dev.stowage.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Where the norms of layers are computed. They have no weight that decides for them and would stay with the layer before,
 * whose result would then cross together with its norm. llama.cpp therefore assigns them to their layer, where few tokens
 * go through at once or all parts are off the processor.
 */
public final class LayerNorms {

    private static final int FEW_TOKENS = 32;

    private LayerNorms() {}

    /** The norms that are assigned, and the number of the device each is assigned to. */
    public static Map<Tensor, Integer> assignments(LayerMap map, LayerPlacement layers) {
        Map<Tensor, Integer> assignments = new HashMap<>();
        boolean allOff = IntStream.rangeClosed(0, layers.layers())
                .noneMatch(part -> layers.deviceOf(part) == layers.devices() - 1);
        for (LayerMap.Norm norm : map.norms()) {
            if (allOff || norm.tokens() < FEW_TOKENS) {
                assignments.put(norm.tensor(), layers.deviceOf(norm.layer()));
            }
        }
        return assignments;
    }
}
