package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.llm.chat.ChatMessage;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.PlannedDevice;
import dev.stowage.llm.fit.Workload;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.llm.tokenizer.TokenStream;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The examples of this module's documentation, which are taken from here. */
class SnippetTest {

    private static final Path FILE = TestModels.lexicon();

    private final PrintStream console = System.out;
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeEach
    void collectOutput() {
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void restoreOutput() {
        System.setOut(console);
    }

    private static void generate(Path file) {
        // @start region="generate"
        try (LanguageModel model = LanguageModel.open(file)) {
            model.generate("Once upon a time", (token, text) -> System.out.print(text));
        }
        // @end
    }

    @Test
    void aModelGeneratesText() {
        generate(FILE);
        assertThat(printed.toString(StandardCharsets.UTF_8)).isNotBlank();
    }

    private static float[] logits(LanguageModel model, int[] tokens) {
        // @start region="session"
        try (Session session = model.newSession()) {
            session.run(new Batch().addAll(tokens, 0)); // sequence 0
            return session.logits(0).clone(); // after the last token; the next run overwrites them
        }
        // @end
    }

    @Test
    void aSessionHasALogitForEveryToken() {
        try (LanguageModel model = LanguageModel.open(FILE)) {
            int[] tokens = model.tokenizer().encode("harbor, n.", EncodeOptions.PROMPT);
            assertThat(logits(model, tokens))
                    .hasSize(model.tokenizer().vocabulary().size());
        }
    }

    private static int[] render(GgufMetadata metadata, Tokenizer tokenizer) {
        // @start region="template"
        ChatTemplate template = ChatTemplate.of(metadata).orElse(ChatTemplate.raw());
        int[] tokens = template.render(List.of(ChatMessage.user("Hello")), true).encode(tokenizer);
        // @end
        return tokens;
    }

    @Test
    void aMessageIsRendered() {
        GgufMetadata metadata = GgufContents.read(FILE).metadata();
        assertThat(render(metadata, Tokenizer.of(metadata))).isNotEmpty();
    }

    private static DevicePlan fit(Path file) {
        // @start region="fit"
        ModelBlueprint blueprint = ModelBlueprint.of(GgufContents.read(file));
        ModelOptions options = ModelOptions.defaults().withContext(32_768);
        Workload model = new FileDecoder(blueprint, options.session(blueprint));
        DevicePlanner planner = DevicePlanner.over(List.of(
                DeviceBudget.of(PlannedDevice.gpu("gpu", 24L << 30)),
                DeviceBudget.of(PlannedDevice.cpu("cpu", 64L << 30))));
        DevicePlan plan = planner.plan(model);
        if (!plan.fits()) {
            planner.advice(model, plan).forEach(System.out::println);
        }
        // @end
        return plan;
    }

    @Test
    void aSmallModelFits() {
        assertThat(fit(FILE).fits()).isTrue();
    }

    private static void tokenize(GgufMetadata metadata) {
        // @start region="tokenize"
        Tokenizer tokenizer = Tokenizer.of(metadata);
        int[] prompt = tokenizer.encode("harbor, n.", EncodeOptions.PROMPT);
        TokenStream text = tokenizer.stream();
        for (int token : prompt) {
            System.out.print(text.next(token)); // whole characters only
        }
        // @end
    }

    @Test
    void textIsTokenized() {
        GgufMetadata metadata = GgufContents.read(FILE).metadata();
        tokenize(metadata);
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("harbor, n.");
    }

    private static int sample(List<Integer> prompt, float[] logits) {
        // @start region="sample"
        SamplingOptions options =
                SamplingOptions.defaults().withTemperature(0.8f).withSeed(42);
        Sampler sampler = new Sampler(options, logits.length);
        prompt.forEach(sampler::accept); // for the repetition penalty
        int token = sampler.next(logits);
        // @end
        return token;
    }

    @Test
    void aTokenIsSampled() {
        assertThat(sample(List.of(1, 2), new float[] {0, 0, 0, 100})).isEqualTo(3);
    }
}
