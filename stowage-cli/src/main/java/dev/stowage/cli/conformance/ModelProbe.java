package dev.stowage.cli.conformance;

import dev.stowage.device.Device;
import dev.stowage.llm.GenerationOptions;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.TokenListener;
import dev.stowage.llm.sampling.SamplingOptions;
import java.nio.file.Path;
import java.util.List;

/**
 * A short generation that is the same every time.
 *
 * @param file the model
 */
record ModelProbe(Path file) {
    private static final int CONTEXT = 64;
    private static final int BATCH = 16;
    private static final int TOKENS = 4;
    private static final String PROMPT = "harbor, n.";

    LanguageModel open(Device device) {
        ModelOptions options = ModelOptions.defaults()
                .withDevices(List.of(device))
                .withContext(CONTEXT)
                .withBatch(BATCH);
        return LanguageModel.open(file, options, LoadListener.NONE);
    }

    /** What a session of its own writes. */
    String generate(LanguageModel model) {
        GenerationOptions options =
                GenerationOptions.defaults().withMaxTokens(TOKENS).withSampling(SamplingOptions.greedy());
        return model.generate(PROMPT, options, TokenListener.NONE).text();
    }

    /** Opens the model, generates, and closes everything. */
    String run(Device device) {
        try (LanguageModel model = open(device)) {
            return generate(model);
        }
    }
}
