package dev.stowage.gguf.quantize;

import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes small files of floats. */
final class FloatFile {

    private FloatFile() {}

    /** All zeros. */
    static Path write(Path file, GgufMetadata metadata, List<TensorSpec> specs) {
        return write(
                file,
                metadata,
                specs.stream()
                        .collect(Collectors.toMap(
                                spec -> spec, spec -> new float[Math.toIntExact(spec.byteSize() / Float.BYTES)])));
    }

    static Path write(Path file, GgufMetadata metadata, Map<TensorSpec, float[]> tensors) {
        try (GgufWriter writer = GgufWriter.create(file, metadata, List.copyOf(tensors.keySet()))) {
            tensors.forEach((spec, values) -> writer.write(spec.name(), 0, MemorySegment.ofArray(values)));
            writer.finish();
        }
        return file;
    }
}
