package dev.stowage.gguf.quantize;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.tensor.ElementType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;

/**
 * Quantises a model to another type, tensor by tensor and piece by piece, so that it needs a few megabytes per
 * thread and not the memory of the model. Types, order of tensors and metadata are llama.cpp's; the numbers are those
 * of the reference formats, and the bytes with them llama.cpp's, except those of iq4_nl, for which it searches longer.
 * The new file appears only when it is complete.
 *
 * {@snippet class="dev.stowage.gguf.GgufSnippetTest" region="quantize"}
 *
 * <p>Quantisers are immutable and may be shared.
 */
public final class Quantizer {

    /** The version of the block formats, which says how their bytes are laid out. */
    private static final int FORMAT_VERSION = 2;

    private static final List<String> SPLIT_KEYS = List.of("split.no", "split.count", "split.tensors.count");

    private final FileType target;
    private final int threads;
    private final boolean again;
    private final Consumer<QuantizeProgress> progress;

    private Quantizer(FileType target, int threads, boolean again, Consumer<QuantizeProgress> progress) {
        this.target = target;
        this.threads = threads;
        this.again = again;
        this.progress = progress;
    }

    /**
     * A quantiser with a thread for each processor, that refuses to quantise what already is quantised.
     *
     * @throws InvalidTensorException if nothing can be quantised to that
     */
    public static Quantizer to(FileType target) {
        target.mostly();
        return new Quantizer(target, Runtime.getRuntime().availableProcessors(), false, _ -> {});
    }

    /** The same with so many threads, at least one. */
    public Quantizer withThreads(int count) {
        return new Quantizer(target, Math.max(1, count), again, progress);
    }

    /** The same, or one that also takes tensors that are quantised already, which adds one loss to another. */
    public Quantizer allowingRequantization(boolean allowed) {
        return new Quantizer(target, threads, allowed, progress);
    }

    /** The same, telling how far it is. Called by one thread at a time; what it throws ends the work. */
    public Quantizer withProgress(Consumer<QuantizeProgress> listener) {
        return new Quantizer(target, threads, again, listener);
    }

    /**
     * Reads a model, of which all parts must be there if it is split, and writes another one as one file.
     *
     * @throws MalformedDataException if the model cannot be read
     * @throws InvalidTensorException if a tensor cannot be turned into the type it should get
     * @throws UncheckedIOException if the new file cannot be written
     */
    public QuantizeResult quantize(Path from, Path to) {
        try (GgufFile file = GgufFile.open(from)) {
            GgufContents contents = file.contents();
            requireAnother(contents, to);
            SequencedMap<String, TensorSpec> targets =
                    TypeChoice.of(contents, target).targets();
            requireConvertible(contents, targets);
            try (GgufWriter writer = GgufWriter.create(to, metadata(contents), List.copyOf(targets.values()))) {
                new PieceWorkers(file, writer, progress, contents.byteSize()).work(pieces(contents, targets), threads);
                writer.finish();
            }
            return new QuantizeResult(contents, targets);
        }
    }

    private static void requireAnother(GgufContents contents, Path to) {
        contents.parts().forEach(part -> {
            try {
                if (Files.exists(to) && Files.isSameFile(part.file(), to)) {
                    throw new MalformedDataException(
                            to + " is the model that is read: write the new one to another file");
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private void requireConvertible(GgufContents contents, SequencedMap<String, TensorSpec> targets) {
        targets.forEach((name, spec) -> {
            GgufTensor source = contents.tensor(name);
            ElementType type = source.type();
            if (type == spec.type()) {
                return;
            }
            if (type.isInteger() || type == ElementType.F64) {
                throw new InvalidTensorException("tensor " + source.spec().describe() + " cannot become " + spec.type()
                        + ": there is no way from " + type);
            }
            if (type.isQuantized() && !again) {
                throw new InvalidTensorException("tensor " + source.spec().describe() + " is quantised already, and"
                        + " quantising it again to " + spec.type()
                        + " would add one loss to another: begin with a model"
                        + " of f32, f16 or bf16, or allow it");
            }
        });
    }

    private GgufMetadata metadata(GgufContents contents) {
        GgufMetadata metadata = contents.metadata()
                .with(GgufMetadata.QUANTIZATION_VERSION, GgufValue.uint32(FORMAT_VERSION))
                .with(GgufMetadata.FILE_TYPE, GgufValue.uint32(target.code()));
        for (String key : SPLIT_KEYS) {
            metadata = metadata.without(key);
        }
        return metadata;
    }

    private static List<Piece> pieces(GgufContents contents, SequencedMap<String, TensorSpec> targets) {
        List<Piece> pieces = new ArrayList<>();
        targets.forEach((name, spec) -> {
            GgufTensor tensor = contents.tensor(name);
            for (long first = 0; first < tensor.shape().elements(); first += PieceWork.ELEMENTS) {
                pieces.add(new Piece(tensor, spec.type(), first));
            }
        });
        return pieces;
    }
}
