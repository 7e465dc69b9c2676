package dev.stowage.llm.engine;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.TestModels;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.tokenizer.EncodeOptions;
import java.util.List;

/** What the tests of the engine have in common. */
final class EngineModels {

    private EngineModels() {}

    /** The small model on a device, with so many slots and cells. */
    static LanguageModel open(Device device, int slots, int context) {
        ModelOptions options = ModelOptions.defaults()
                .withDevices(List.of(device))
                .withSequences(slots)
                .withContext(context)
                .withBatch(64);
        return LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE);
    }

    /** The same on the processor. */
    static LanguageModel open(int slots, int context) {
        return open(TestModels.cpu(), slots, context);
    }

    /** A device that adds in the same order however many tokens there are. */
    static Device reference() {
        return DeviceRegistry.load().device("reference");
    }

    static int[] tokens(LanguageModel model, String text) {
        return model.tokenizer().encode(text, EncodeOptions.PROMPT);
    }

    static CompletionRequest.Builder request(LanguageModel model, String text) {
        return CompletionRequest.builder(tokens(model, text)).sampling(SamplingOptions.greedy());
    }

    /** Tokens of a prompt that is long, and different for each number. */
    static int[] longPrompt(int length, int number) {
        int[] tokens = new int[length];
        for (int i = 0; i < length; i++) {
            tokens[i] = 300 + (i * 31 + number * 17) % 1000;
        }
        return tokens;
    }
}
