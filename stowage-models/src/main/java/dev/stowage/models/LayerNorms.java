package dev.stowage.models;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Where the norms of layers are computed. They have no weight that decides for them and would stay with the layer before,
 * whose result would then cross together with its norm. llama.cpp therefore assigns them to their layer, where few tokens
 * go through at once or all parts are off the processor.
 */
public final class LayerNorms {

    private static final Pattern NORM = Pattern.compile("norm-(\\d+)");
    private static final int FEW_TOKENS = 32;

    private LayerNorms() {}

    /** The norms that are assigned, and the number of the device each is assigned to. */
    public static Map<Tensor, Integer> assignments(Graph graph, LayerPlacement layers) {
        Map<Tensor, Integer> assignments = new HashMap<>();
        boolean allOff = IntStream.rangeClosed(0, layers.layers())
                .noneMatch(part -> layers.deviceOf(part) == layers.devices() - 1);
        for (Tensor node : graph.nodes()) {
            Matcher norm = NORM.matcher(node.name());
            if (norm.matches() && (allOff || node.dim(1) < FEW_TOKENS)) {
                assignments.put(node, layers.deviceOf(Integer.parseInt(norm.group(1))));
            }
        }
        return assignments;
    }
}
