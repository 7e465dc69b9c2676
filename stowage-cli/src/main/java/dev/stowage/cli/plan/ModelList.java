package dev.stowage.cli.plan;

import dev.stowage.internal.json.JsonWriter;
import dev.stowage.models.ModelShape;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.ResNetShape;
import dev.stowage.models.TransformerShape;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.stream.Collectors;

/** Lists the models known by name with their hyper-parameters. */
final class ModelList {
    private ModelList() {}

    static void print(PrintWriter out) {
        for (ModelShape shape : ModelShapes.all()) {
            out.printf(
                    Locale.ROOT, "%-12s %,15d parameters  %s%n", shape.name(), shape.parameters(), shape.description());
            out.printf(Locale.ROOT, "%-12s %s%n", "", hyperParameters(shape));
        }
    }

    private static String hyperParameters(ModelShape shape) {
        return switch (shape) {
            case TransformerShape t ->
                String.format(
                        Locale.ROOT,
                        "%d layers, width %d, %d heads of %d, %d for keys and values, feed-forward %d, vocabulary %d%s",
                        t.layers(),
                        t.width(),
                        t.heads(),
                        t.headSize(),
                        t.kvHeads(),
                        t.feedForward(),
                        t.vocabulary(),
                        t.tiedEmbeddings() ? ", tied embeddings" : "");
            case ResNetShape r ->
                String.format(
                        Locale.ROOT,
                        "%s blocks, %d classes, images of %d x %d",
                        r.blocks().stream().map(String::valueOf).collect(Collectors.joining("-")),
                        r.classes(),
                        r.imageSize(),
                        r.imageSize());
        };
    }

    static void printJson(PrintWriter out) {
        JsonWriter json = JsonWriter.indented(out);
        json.beginObject().name("models").beginArray();
        for (ModelShape shape : ModelShapes.all()) {
            json.beginObject();
            json.name("model").value(shape.name());
            json.name("description").value(shape.description());
            json.name("parameters").value(shape.parameters());
            switch (shape) {
                case TransformerShape transformer -> write(transformer, json);
                case ResNetShape network -> write(network, json);
            }
            json.endObject();
        }
        json.endArray().endObject().finish();
        out.println();
    }

    private static void write(TransformerShape shape, JsonWriter json) {
        json.name("layers").value(shape.layers());
        json.name("width").value(shape.width());
        json.name("heads").value(shape.heads());
        json.name("kv_heads").value(shape.kvHeads());
        json.name("head_size").value(shape.headSize());
        json.name("feed_forward").value(shape.feedForward());
        json.name("vocabulary").value(shape.vocabulary());
        json.name("tied_embeddings").value(shape.tiedEmbeddings());
    }

    private static void write(ResNetShape shape, JsonWriter json) {
        json.name("blocks").beginArray();
        shape.blocks().forEach(json::value);
        json.endArray();
        json.name("channels").value(shape.channels());
        json.name("classes").value(shape.classes());
        json.name("image_size").value(shape.imageSize());
    }
}
