package dev.stowage.langchain4j;

import dev.stowage.device.Device;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.engine.Engine;
import dev.stowage.llm.engine.EngineOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A model file, loaded once, and the engine that runs requests of any number of models and threads over it. Closing it cancels
 * what runs and frees the memory; models that use it fail afterwards.
 *
 * {@snippet class="dev.stowage.langchain4j.LangChain4jPageTest" region="chat"}
 */
public final class StowageEngine implements AutoCloseable {

    private final LanguageModel model;
    private final Engine engine;
    private final ChatTemplate template;
    private final String name;

    private StowageEngine(LanguageModel model, Engine engine, ChatTemplate template, String name) {
        this.model = model;
        this.engine = engine;
        this.template = template;
        this.name = name;
    }

    /** An engine for a GGUF file. */
    public static Builder builder(Path file) {
        return new Builder(file);
    }

    /** What runs the requests. */
    public Engine engine() {
        return engine;
    }

    /** How conversations become prompts. */
    public ChatTemplate chatTemplate() {
        return template;
    }

    /** The name of the model: what the file says, or the name of the file. */
    public String modelName() {
        return name;
    }

    LanguageModel model() {
        return model;
    }

    /** Cancels what runs, and frees the memory. Closing it twice is fine. */
    @Override
    public void close() {
        engine.close();
        model.close();
    }

    /** Collects how the file is loaded. */
    public static final class Builder {

        private final Path file;
        private ModelOptions options = ModelOptions.defaults().withSequences(4).withContext(4096);
        private EngineOptions engine = EngineOptions.defaults();
        private Optional<ChatTemplate> template = Optional.empty();

        private Builder(Path file) {
            this.file = file;
        }

        /** With room for so many tokens of all requests together; 4096 unless said otherwise. */
        public Builder contextSize(int tokens) {
            options = options.withContext(tokens);
            return this;
        }

        /** With that many requests at once; 4 unless said otherwise. Others wait. */
        public Builder slots(int count) {
            options = options.withSequences(count);
            return this;
        }

        /** On these devices, the first that have room first. */
        public Builder devices(List<? extends Device> devices) {
            options = options.withDevices(devices);
            return this;
        }

        /** With all that can be said about loading; this replaces what was said before. */
        public Builder modelOptions(ModelOptions changed) {
            options = changed;
            return this;
        }

        /** With a queue and pieces of prompts as these options say. */
        public Builder engineOptions(EngineOptions changed) {
            engine = changed;
            return this;
        }

        /** With this template instead of that of the file, which is that of plain text where the file has none. */
        public Builder chatTemplate(ChatTemplate changed) {
            template = Optional.of(changed);
            return this;
        }

        /**
         * Loads the file.
         *
         * @throws dev.stowage.error.StowageException if the file cannot be read as a model, or does not fit
         */
        public StowageEngine build() {
            LanguageModel model = LanguageModel.open(file, options, LoadListener.NONE);
            try {
                ChatTemplate chosen = template.or(model::chatTemplate).orElse(ChatTemplate.raw());
                String name = model.metadata().text("general.name", String.valueOf(file.getFileName()));
                return new StowageEngine(model, new Engine(model, engine), chosen, name);
            } catch (RuntimeException e) {
                model.close();
                throw e;
            }
        }
    }
}
