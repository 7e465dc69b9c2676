package dev.stowage.gguf;

import dev.stowage.tensor.Shape;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;

/** Writes the header of a file, version 3, as {@link HeaderReader} reads it. */
final class HeaderWriter {

    private static final byte[] MAGIC = {'G', 'G', 'U', 'F'};
    private static final int VERSION = 3;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private HeaderWriter() {}

    /** The whole head, filled up with zeros to a multiple of the alignment. */
    static byte[] bytes(GgufMetadata metadata, List<GgufTensor> tensors, long alignment) {
        HeaderWriter writer = new HeaderWriter();
        writer.out.writeBytes(MAGIC);
        writer.int32(VERSION);
        writer.int64(tensors.size());
        writer.int64(metadata.entries().size());
        for (Map.Entry<String, GgufValue> entry : metadata.entries().entrySet()) {
            writer.text(entry.getKey());
            writer.int32(entry.getValue().type().code());
            writer.value(entry.getValue());
        }
        tensors.forEach(writer::tensor);
        while (writer.out.size() % alignment != 0) {
            writer.out.write(0);
        }
        return writer.out.toByteArray();
    }

    private void value(GgufValue value) {
        switch (value) {
            case GgufValue.Whole(GgufType type, long number) -> number(type.bytes(), number);
            case GgufValue.Float32(float number) -> int32(Float.floatToRawIntBits(number));
            case GgufValue.Float64(double number) -> int64(Double.doubleToRawLongBits(number));
            case GgufValue.Bool(boolean truth) -> out.write(truth ? 1 : 0);
            case GgufValue.Text(String text) -> text(text);
            case GgufValue.Array(GgufArray elements) -> array(elements);
        }
    }

    private void array(GgufArray elements) {
        int32(elements.elementType().code());
        int64(elements.size());
        if (elements.elementType() != GgufType.STRING) {
            out.writeBytes(elements.bytes());
            return;
        }
        int start = 0;
        for (int i = 0; i < elements.size(); i++) {
            int end = elements.end(i);
            int64(end - start);
            out.write(elements.bytes(), start, end - start);
            start = end;
        }
    }

    private void tensor(GgufTensor tensor) {
        text(tensor.name());
        Shape shape = tensor.shape();
        int32(shape.rank());
        for (int i = 0; i < shape.rank(); i++) {
            int64(shape.dim(i));
        }
        int32(tensor.type().code());
        int64(tensor.offset());
    }

    private void text(String text) {
        byte[] bytes = Utf8.encode(text, "'" + text + "'");
        int64(bytes.length);
        out.writeBytes(bytes);
    }

    private void int32(int number) {
        number(Integer.BYTES, number);
    }

    private void int64(long number) {
        number(Long.BYTES, number);
    }

    private void number(int bytes, long number) {
        for (int i = 0; i < bytes; i++) {
            out.write((int) (number >>> (i * Byte.SIZE)));
        }
    }
}
