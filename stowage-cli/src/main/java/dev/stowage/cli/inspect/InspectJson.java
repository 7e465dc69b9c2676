package dev.stowage.cli.inspect;

import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufHeader;
import dev.stowage.gguf.GgufSummary;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.tensor.Shape;
import java.io.PrintWriter;

/** Writes what a GGUF file says of itself as one JSON object, for programs. */
final class InspectJson {
    private final JsonWriter json;

    private InspectJson(JsonWriter json) {
        this.json = json;
    }

    static void print(GgufContents contents, boolean tensors, PrintWriter out) {
        JsonWriter writer = JsonWriter.indented(out).beginObject();
        new InspectJson(writer).write(contents, tensors);
        writer.endObject().finish();
        out.println();
    }

    private void write(GgufContents contents, boolean tensors) {
        GgufSummary summary = GgufSummary.of(contents);
        json.name("files").beginArray();
        contents.parts().forEach(part -> json.value(part.file().toString()));
        json.endArray();
        json.name("version").value(contents.parts().getFirst().version());
        json.name("alignment").value(contents.parts().getFirst().alignment());
        json.name("parameters").value(summary.parameters());
        json.name("tensor_count").value(contents.tensors().size());
        json.name("data_bytes").value(summary.dataBytes());
        json.name("file_bytes").value(summary.fileBytes());
        json.name("missing_bytes").value(summary.missingBytes());
        json.name("bits_per_parameter").value(summary.bitsPerParameter());
        json.name("types").beginArray();
        summary.shares().forEach(this::write);
        json.endArray();
        json.name("metadata").beginObject();
        contents.metadata().entries().forEach((key, value) -> write(json.name(key), value));
        json.endObject();
        if (tensors) {
            json.name("tensors").beginArray();
            contents.tensors()
                    .values()
                    .forEach(tensor -> write(tensor, contents.parts().get(tensor.part())));
            json.endArray();
        }
    }

    private void write(GgufSummary.TypeShare share) {
        json.beginObject();
        json.name("type").value(share.type().label());
        json.name("tensors").value(share.tensors());
        json.name("parameters").value(share.parameters());
        json.name("bytes").value(share.bytes());
        json.endObject();
    }

    private void write(GgufTensor tensor, GgufHeader part) {
        json.beginObject();
        json.name("name").value(tensor.name());
        json.name("type").value(tensor.type().label());
        json.name("shape").beginArray();
        Shape shape = tensor.shape();
        for (int i = 0; i < shape.rank(); i++) {
            json.value(shape.dim(i));
        }
        json.endArray();
        json.name("bytes").value(tensor.byteSize());
        json.name("file").value(part.file().toString());
        json.name("offset").value(part.dataOffset() + tensor.offset());
        json.endObject();
    }

    private static void write(JsonWriter json, GgufValue value) {
        switch (value) {
            case GgufValue.Whole(GgufType type, long number)
            when type != GgufType.UINT64 || number >= 0 -> json.value(number);
            // More than readers of JSON can be expected to keep exactly.
            case GgufValue.Whole huge -> json.value(huge.display());
            // The shortest digits of the float, not those of the double next to it.
            case GgufValue.Float32(float number) -> number(json, Double.parseDouble(Float.toString(number)));
            case GgufValue.Float64(double number) -> number(json, number);
            case GgufValue.Bool(boolean truth) -> json.value(truth);
            case GgufValue.Text(String text) -> json.value(text);
            case GgufValue.Array(GgufArray elements) -> write(json, elements);
        }
    }

    private static void write(JsonWriter json, GgufArray elements) {
        json.beginArray();
        for (int i = 0; i < elements.size(); i++) {
            switch (elements.elementType()) {
                case STRING -> json.value(elements.text(i));
                case BOOL -> json.value(elements.bool(i));
                case FLOAT32, FLOAT64 -> number(json, Double.parseDouble(elements.display(i)));
                default -> write(json, new GgufValue.Whole(elements.elementType(), elements.whole(i)));
            }
        }
        json.endArray();
    }

    /** JSON has no numbers that are infinite or none, but it has words. */
    private static void number(JsonWriter json, double number) {
        if (Double.isFinite(number)) {
            json.value(number);
        } else {
            json.value(Double.toString(number));
        }
    }
}
