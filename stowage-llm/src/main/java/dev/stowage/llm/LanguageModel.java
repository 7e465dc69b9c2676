package dev.stowage.llm;

import dev.stowage.device.Device;
import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.llm.tokenizer.Tokenizer;
import dev.stowage.models.LayerPlacement;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A language model, opened from a GGUF file.
 *
 * {@snippet class="dev.stowage.llm.SnippetTest" region="generate"}
 *
 * <p>Its weights are stored in the mapped file or in memory of devices until it is closed.
 * The file must not be truncated meanwhile, which a run refuses where it can and may not survive where it cannot;
 * {@link ModelOptions#withMappedWeights} loads all weights into memory instead. It may be used by many threads, each
 * with a session of its own.
 */
public final class LanguageModel implements AutoCloseable {

    private final GgufFile file;
    private final ModelOptions options;
    private final ModelBlueprint blueprint;
    private final Tokenizer tokenizer;
    private final List<Device> devices;
    private final LayerPlacement layers;
    private final ModelWeights weights;
    private final int context;
    private volatile boolean closed;

    private LanguageModel(
            GgufFile file, ModelOptions options, Background<List<Device>> candidates, LoadListener listener) {
        this.file = file;
        this.blueprint = blueprint(file);
        this.context = options.contextOf(blueprint);
        FileDecoder workload = new FileDecoder(blueprint, options.session(blueprint));
        try (Background<Tokenizer> vocabulary = Background.start("tokenizer", () -> Tokenizer.of(file.metadata()))) {
            DevicePlanner planner = ModelDevices.planner(candidates.get(), options, workload);
            this.devices = planner.devices().stream().map(DeviceBudget::device).toList();
            this.layers = planner.layers(workload);
            this.options = options.withSchedule(planner.options());
            listener.placed(() -> planner.plan(workload));
            this.tokenizer = vocabulary.get();
        }
        requireSameVocabulary();
        this.weights = ModelWeights.place(blueprint, file, layers, devices, this.options, listener);
    }

    /** What the file describes; what is not supported of its model and of its tokenizer is named together. */
    private static ModelBlueprint blueprint(GgufFile file) {
        try {
            return ModelBlueprint.of(file.contents());
        } catch (MalformedDataException e) {
            try {
                Tokenizer.of(file.metadata());
            } catch (MalformedDataException ofTokenizer) {
                throw new MalformedDataException(e.getMessage() + "; besides, " + ofTokenizer.getMessage(), e);
            }
            throw e;
        }
    }

    /**
     * Opens a model with what suits most.
     *
     * @throws dev.stowage.error.StowageException if the file is not a model that can be run, or memory or a device is
     *     lacking
     */
    public static LanguageModel open(Path file) {
        return open(file, ModelOptions.defaults(), LoadListener.NONE);
    }

    /**
     * Opens a model. Unless the options say how many layers each device gets, they go where a {@link
     * dev.stowage.llm.fit.DevicePlanner} puts them with all the memory that the devices report free, and weights, cache
     * and compute memory of the first session take what its plan says.
     *
     * @throws dev.stowage.error.StowageException if the file is not a model that can be run, or memory or a device is
     *     lacking
     */
    public static LanguageModel open(Path file, ModelOptions options, LoadListener listener) {
        // Drivers take as long to be ready as the head of a file takes to be read.
        try (Background<List<Device>> candidates =
                Background.start("devices", () -> ModelDevices.readyCandidates(options))) {
            GgufFile opened = GgufFile.open(file);
            try {
                return new LanguageModel(opened, options, candidates, listener);
            } catch (RuntimeException | Error e) {
                opened.close();
                throw e;
            }
        }
    }

    private void requireSameVocabulary() {
        int rows = blueprint.shape().vocabulary();
        int tokens = tokenizer.vocabulary().size();
        if (rows != tokens) {
            throw new MalformedDataException(
                    file.contents().parts().getFirst().file() + ": tensor 'token_embd.weight' has " + rows
                            + " rows, but the tokenizer has " + tokens + " tokens");
        }
    }

    /** What the file describes. */
    public ModelBlueprint blueprint() {
        return blueprint;
    }

    public GgufMetadata metadata() {
        return file.metadata();
    }

    public Tokenizer tokenizer() {
        return tokenizer;
    }

    public ModelOptions options() {
        return options;
    }

    /** What it runs on, the processor last. */
    public List<Device> devices() {
        return devices;
    }

    /** Which part of it is on which device. */
    public LayerPlacement layers() {
        return layers;
    }

    /** How many tokens a session has room for. */
    public int context() {
        return context;
    }

    /** The bytes of the weights on a device, those in the mapped file among them, by the device's number. */
    public long weightBytes(int device) {
        return weights.bytes(device);
    }

    /**
     * Refuses an embedding model, which makes vectors of texts and writes none.
     *
     * @throws AccessException if this is one; the message says how it is used
     */
    public void requireText() {
        if (blueprint.shape().isEncoder()) {
            throw new AccessException(file.contents().parts().getFirst().file() + " is an embedding model, of the"
                    + " architecture " + blueprint.architecture().name()
                    + ": it makes vectors of texts and writes none."
                    + " 'stowage serve FILE' answers POST /v1/embeddings with it, and Engine.embed does in a program");
        }
    }

    /**
     * The chat template of this model, if its file has one.
     *
     * @throws dev.stowage.error.MalformedDataException if it has one that cannot be parsed; the message names the line
     */
    public Optional<ChatTemplate> chatTemplate() {
        return ChatTemplate.of(metadata());
    }

    /**
     * A new session, with a cache, memory and threads of its own.
     *
     * @throws ClosedException if the model is closed
     * @throws dev.stowage.error.AllocationException if there is too little memory
     */
    public Session newSession() {
        requireOpen();
        try {
            return new Session(blueprint, layers, devices, options, () -> closed);
        } catch (StowageException e) {
            // Without its weights a session fails in one way or another; that the model was closed meanwhile is why.
            requireOpen();
            throw e;
        }
    }

    /** Continues a prompt until the model ends the text or the context is full. */
    public Generation generate(String prompt, TokenListener listener) {
        return generate(prompt, GenerationOptions.defaults(), listener);
    }

    /** Continues a prompt in a session that is opened for that alone. */
    public Generation generate(String prompt, GenerationOptions generation, TokenListener listener) {
        try (Session session = newSession()) {
            return generate(session, tokenizer.encode(prompt, EncodeOptions.PROMPT), generation, listener);
        }
    }

    /**
     * Continues tokens in sequence 0 of a session, after the tokens that it has already.
     *
     * @throws AccessException if there are no tokens, another thread uses the session, or the model writes no text
     * @throws ClosedException if the session or the model is closed, before or meanwhile
     * @throws dev.stowage.error.AllocationException if the context has no room for them
     */
    public Generation generate(Session session, int[] prompt, GenerationOptions generation, TokenListener listener) {
        requireText();
        return new Generator(session, tokenizer, 0, generation, listener).generate(new int[0], prompt);
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("this model is closed; open it again");
        }
    }

    /**
     * Gives back the weights' memory and closes the file. Sessions refuse further work; memory that a session is using
     * is given back when its pass is done. Closing twice is fine.
     */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            weights.close();
            file.close();
        }
    }
}
