package dev.stowage.gguf.quantize;

import dev.stowage.gguf.GgufTensor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The layer a tensor belongs to by its name, and the order that gives. */
final class LayerOrder {

    private static final Pattern LAYER = Pattern.compile("blk\\.(\\d{1,9})\\..*");

    private LayerOrder() {}

    /** The number in a name such as {@code blk.3.attn_q.weight}. */
    static OptionalInt layerOf(String name) {
        Matcher match = LAYER.matcher(name);
        return match.matches() ? OptionalInt.of(Integer.parseInt(match.group(1))) : OptionalInt.empty();
    }

    /** What belongs to no layer first, then layer by layer, by the bytes of the names within. */
    static Comparator<GgufTensor> byLayerAndName() {
        return Comparator.comparingInt(
                        (GgufTensor tensor) -> layerOf(tensor.name()).orElse(-1))
                .thenComparing(tensor -> tensor.name().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);
    }
}
