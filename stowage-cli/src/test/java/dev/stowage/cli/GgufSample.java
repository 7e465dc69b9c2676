package dev.stowage.cli;

import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** A model of 520 numbers, in f32. */
public final class GgufSample {
    public static final TensorSpec UP = TensorSpec.of("blk.0.ffn_up.weight", ElementType.F32, 256, 2);
    public static final TensorSpec NORM = TensorSpec.of("output_norm.weight", ElementType.F32, 8);

    private GgufSample() {}

    static GgufMetadata metadata() {
        return GgufMetadata.empty()
                .with(GgufMetadata.ARCHITECTURE, GgufValue.text("llama"))
                .with(GgufMetadata.FILE_TYPE, GgufValue.uint32(0))
                .with("llama.rope.freq_base", new GgufValue.Float32(10_000.1f))
                .with("llama.limit", new GgufValue.Float32(Float.POSITIVE_INFINITY))
                .with("general.serial", new GgufValue.Whole(GgufType.UINT64, -1))
                .with("tokenizer.chat_template", GgufValue.text("{{ a }}\n\u001B[31mred " + "x".repeat(100)))
                .with(
                        "tokenizer.ggml.tokens",
                        new GgufValue.Array(GgufArray.ofTexts(List.of("a", "b", "c", "d", "e", "f", "g", "h"))))
                .with("tokenizer.ggml.add_bos_token", new GgufValue.Bool(true));
    }

    public static Path write(Path file) {
        float[] values = new float[512];
        for (int i = 0; i < values.length; i++) {
            values[i] = (i - 256) / 64f;
        }
        try (GgufWriter writer = GgufWriter.create(file, metadata(), List.of(UP, NORM))) {
            writer.write(UP.name(), 0, MemorySegment.ofArray(values));
            writer.write(NORM.name(), 0, MemorySegment.ofArray(new float[8]));
            writer.finish();
        }
        return file;
    }
}
