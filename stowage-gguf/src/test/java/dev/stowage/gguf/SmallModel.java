package dev.stowage.gguf;

import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** A few tensors with numbers that are known, written to a file or to several. */
final class SmallModel {

    static final TensorSpec EMBEDDING = TensorSpec.of("token_embd.weight", ElementType.F32, 64, 3);
    static final TensorSpec NORM = TensorSpec.of("output_norm.weight", ElementType.F32, 5);
    static final TensorSpec DOWN = TensorSpec.of("blk.0.ffn_down.weight", ElementType.F16, 32, 2);
    static final List<TensorSpec> ALL = List.of(EMBEDDING, NORM, DOWN);

    private SmallModel() {}

    static GgufMetadata metadata() {
        return GgufMetadata.empty()
                .with(GgufMetadata.ARCHITECTURE, GgufValue.text("llama"))
                .with("llama.block_count", GgufValue.uint32(1));
    }

    /** Bytes that follow from the name and nothing else. */
    static byte[] data(TensorSpec spec) {
        byte[] bytes = new byte[Math.toIntExact(spec.byteSize())];
        new SplittableRandom(spec.name().hashCode()).nextBytes(bytes);
        return bytes;
    }

    static Path write(Path file) {
        return write(file, metadata(), ALL);
    }

    static Path write(Path file, GgufMetadata metadata, List<TensorSpec> specs) {
        try (GgufWriter writer = GgufWriter.create(file, metadata, specs)) {
            specs.forEach(spec -> writer.write(spec.name(), 0, MemorySegment.ofArray(data(spec))));
            writer.finish();
        }
        return file;
    }

    /** One tensor a part, as the name of a part is made. */
    static Path part(Path folder, int number, int count) {
        return folder.resolve(String.format(Locale.ROOT, "m-%05d-of-%05d.gguf", number + 1, count));
    }

    static void writeParts(Path folder) {
        for (int i = 0; i < ALL.size(); i++) {
            GgufMetadata metadata = (i == 0 ? metadata() : GgufMetadata.empty())
                    .with("split.no", new GgufValue.Whole(GgufType.UINT16, i))
                    .with("split.count", new GgufValue.Whole(GgufType.UINT16, ALL.size()))
                    .with("split.tensors.count", new GgufValue.Whole(GgufType.INT32, ALL.size()));
            write(part(folder, i, ALL.size()), metadata, List.of(ALL.get(i)));
        }
    }
}
