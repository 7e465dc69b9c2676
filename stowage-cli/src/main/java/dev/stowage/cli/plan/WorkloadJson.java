package dev.stowage.cli.plan;

import dev.stowage.internal.json.JsonWriter;
import dev.stowage.llm.fit.DecoderWorkload;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.ImageNetwork;
import dev.stowage.llm.fit.NamedDecoder;
import dev.stowage.llm.fit.Workload;

/** Writes as JSON which model is run and its configuration, the same in every report. */
final class WorkloadJson {
    private WorkloadJson() {}

    /** Writes the members of the current object that describe the model and its options. */
    static void write(Workload run, JsonWriter json) {
        json.name("model").value(run.name());
        json.name("description").value(run.description());
        json.name("parameters").value(run.parameters());
        json.name("options").beginObject();
        switch (run) {
            case DecoderWorkload decoder -> decoder(decoder, json);
            case ImageNetwork network -> network(network, json);
        }
        json.endObject();
        if (run instanceof FileDecoder file) {
            json.name("file").value(file.contents().parts().getFirst().file().toString());
            json.name("trained_context").value(file.trainedContext());
            json.name("remarks").beginArray();
            WorkloadText.remarks(file).forEach(json::value);
            json.endArray();
        }
    }

    private static void decoder(DecoderWorkload run, JsonWriter json) {
        json.name("tokens").value(run.tokens());
        json.name("context").value(run.context());
        json.name("outputs").value(run.outputs());
        json.name("flash").value(run.flash());
        json.name("type").value(run.weightType().label());
        if (run instanceof NamedDecoder named) {
            named.mixture().ifPresent(mixture -> json.name("mixture").value(mixture.name()));
        }
        json.name("cache_type").value(run.cacheType().label());
    }

    private static void network(ImageNetwork run, JsonWriter json) {
        json.name("batch").value(run.options().batch());
        json.name("type").value(run.options().weightType().label());
    }
}
