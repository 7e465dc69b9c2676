package dev.stowage.gguf;

import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.TensorData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What fuzzing runs on every input: the head of a file is read from arbitrary bytes, which must end with what it says or
 * with a refusal that names byte and field, and whatever was read must be the same after it was written and read again.
 * Jazzer finds the method by its name.
 */
public final class HeaderFuzzer {

    private static final Path NAME = Path.of("fuzzed.gguf");

    private HeaderFuzzer() {}

    /** Reads one input; whatever this throws is a bug. */
    public static void fuzzerTestOneInput(byte[] input) {
        GgufHeader header;
        try {
            header = read(input);
        } catch (MalformedDataException e) {
            requireNamed(e);
            return;
        }
        requireTheSameAgain(header);
        try {
            header.requireData();
        } catch (MalformedDataException e) {
            requireNamed(e);
            return;
        }
        requireUsable(input);
    }

    /** What has all its data can be opened, and every tensor of it reached to its last byte. */
    private static void requireUsable(byte[] input) {
        try {
            Path file = Files.createTempFile("fuzzed", ".gguf");
            try {
                Files.write(file, input);
                touchAll(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void touchAll(Path file) {
        try (GgufFile opened = GgufFile.open(file)) {
            for (String name : opened.contents().tensors().keySet()) {
                MemorySegment data = TensorData.segment(opened.tensor(name));
                if (data.byteSize() > 0) {
                    data.get(ValueLayout.JAVA_BYTE, data.byteSize() - 1);
                }
            }
        } catch (MalformedDataException e) {
            // As one of several parts, which only its keys make it, or too large in sum.
            if (!String.valueOf(e.getMessage()).contains(file.toString())) {
                throw new AssertionError("the refusal does not name the file", e);
            }
        }
    }

    static GgufHeader read(byte[] bytes) {
        GgufInput input = new GgufInput(new MemorySource(bytes), NAME.toString(), bytes.length);
        return new HeaderReader(NAME, input, 0).read(bytes.length);
    }

    private static void requireNamed(MalformedDataException e) {
        String message = String.valueOf(e.getMessage());
        if (!message.matches("(?s)fuzzed\\.gguf, byte \\d+, .+: .+")) {
            throw new AssertionError("the refusal does not name byte and field: " + message, e);
        }
    }

    private static void requireTheSameAgain(GgufHeader header) {
        List<GgufTensor> tensors = header.tensors();
        long alignment = header.alignment();
        if (alignment > 4096) {
            // Filling up to a gigabyte is what such a file asks for, and no bug.
            return;
        }
        byte[] first = HeaderWriter.bytes(header.metadata(), tensors, alignment);
        GgufHeader again = read(first);
        if (!again.metadata().equals(header.metadata()) || !again.tensors().equals(tensors)) {
            throw new AssertionError("what was written is not what was read");
        }
    }
}
