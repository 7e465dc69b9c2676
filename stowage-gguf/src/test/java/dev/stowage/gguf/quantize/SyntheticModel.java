package dev.stowage.gguf.quantize;

import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A model of a few numbers a layer, for which llama.cpp was asked what it would choose. */
record SyntheticModel(
        String architecture, int layers, int heads, int sharedHeads, int experts, boolean tied, int columns) {

    static SyntheticModel named(String name) {
        return switch (name) {
            case "llama32" -> new SyntheticModel("llama", 32, 8, 8, 0, false, 256);
            case "llama32gqa" -> new SyntheticModel("llama", 32, 8, 2, 0, true, 256);
            case "llama80" -> new SyntheticModel("llama", 80, 8, 1, 0, false, 256);
            case "llama80same" -> new SyntheticModel("llama", 80, 8, 8, 0, false, 256);
            case "moe8" -> new SyntheticModel("llama", 32, 8, 2, 8, false, 256);
            case "moe4" -> new SyntheticModel("llama", 17, 8, 4, 4, false, 256);
            case "falcon" -> new SyntheticModel("falcon", 32, 8, 1, 0, false, 256);
            case "qwen80" -> new SyntheticModel("qwen2", 80, 8, 1, 0, false, 256);
            case "odd96" -> new SyntheticModel("llama", 5, 8, 8, 0, false, 96);
            case "odd128" -> new SyntheticModel("llama", 5, 8, 8, 0, true, 128);
            default -> throw new AssertionError("no model " + name);
        };
    }

    GgufMetadata metadata() {
        return GgufMetadata.empty()
                .with(GgufMetadata.ARCHITECTURE, GgufValue.text(architecture))
                .with(architecture + ".block_count", GgufValue.uint32(layers))
                .with(architecture + ".attention.head_count", GgufValue.uint32(heads))
                .with(architecture + ".attention.head_count_kv", GgufValue.uint32(sharedHeads))
                .with(architecture + ".expert_count", GgufValue.uint32(experts));
    }

    List<TensorSpec> tensors() {
        List<TensorSpec> all = new ArrayList<>();
        all.add(matrix("token_embd.weight", 64));
        all.add(vector("output_norm.weight", columns));
        if (!tied) {
            all.add(matrix("output.weight", 64));
        }
        for (int layer = 0; layer < layers; layer++) {
            addLayer("blk." + layer + ".", all);
        }
        return all;
    }

    private void addLayer(String prefix, List<TensorSpec> all) {
        if (architecture.equals("falcon")) {
            all.add(matrix(prefix + "attn_qkv.weight", 24));
        } else {
            all.add(matrix(prefix + "attn_q.weight", 8));
            all.add(matrix(prefix + "attn_k.weight", 8));
            all.add(matrix(prefix + "attn_v.weight", 8));
            all.add(vector(prefix + "attn_v.bias", 8));
        }
        all.add(matrix(prefix + "attn_output.weight", 8));
        all.add(vector(prefix + "ffn_norm.weight", columns));
        if (experts > 0) {
            all.add(TensorSpec.of(prefix + "ffn_gate_inp.weight", ElementType.F32, columns, experts));
        }
        for (String part : List.of("gate", "up", "down")) {
            all.add(
                    experts > 0
                            ? TensorSpec.of(
                                    prefix + "ffn_" + part + "_exps.weight", ElementType.F16, columns, 4, experts)
                            : matrix(prefix + "ffn_" + part + ".weight", 8));
        }
    }

    private TensorSpec matrix(String name, int rows) {
        return TensorSpec.of(name, ElementType.F16, columns, rows);
    }

    private static TensorSpec vector(String name, int size) {
        return TensorSpec.of(name, ElementType.F32, size);
    }

    /** The model in a file, all zeros. */
    GgufContents writtenTo(Path file) {
        try (GgufWriter writer = GgufWriter.create(file, metadata(), tensors())) {
            for (TensorSpec spec : tensors()) {
                writer.write(spec.name(), 0, MemorySegment.ofArray(new byte[Math.toIntExact(spec.byteSize())]));
            }
            writer.finish();
        }
        return GgufContents.read(file);
    }
}
