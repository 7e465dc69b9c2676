package dev.stowage.cli;

import dev.stowage.internal.json.JsonWriter;
import dev.stowage.models.ModelShape;
import dev.stowage.models.ResNetOptions;
import dev.stowage.models.TransformerOptions;

/** Writes down as JSON which model is run and how, the same in every report. */
final class RunJson {
    private RunJson() {}

    /** Writes the members of the object at hand that tell of the model and its options. */
    static void write(ModelOptions.Run run, JsonWriter json) {
        ModelShape shape = run.model().shape();
        json.name("model").value(shape.name());
        json.name("description").value(shape.description());
        json.name("parameters").value(shape.parameters());
        json.name("options").beginObject();
        TransformerOptions transformer = run.transformer();
        if (transformer != null) {
            json.name("tokens").value(transformer.tokens());
            json.name("context").value(transformer.context());
            json.name("outputs").value(transformer.outputs());
            json.name("flash").value(transformer.flash());
            json.name("type").value(transformer.weightType().label());
            json.name("cache_type").value(transformer.cacheType().label());
        }
        ResNetOptions network = run.resNet();
        if (network != null) {
            json.name("batch").value(network.batch());
            json.name("type").value(network.weightType().label());
        }
        json.endObject();
    }
}
