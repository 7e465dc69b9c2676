package dev.stowage.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.Batch;
import dev.stowage.llm.Conversation;
import dev.stowage.llm.Generation;
import dev.stowage.llm.GenerationOptions;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.llm.TokenListener;
import dev.stowage.llm.chat.ChatMessage;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.tokenizer.EncodeOptions;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The code of the page about sessions and conversations, and the model of the README, with a small model. */
class SessionsPageTest {

    private static final Path FILE = Path.of("../stowage-gguf/src/test/resources/lexicon-5m-f16.gguf");

    private static LanguageModel model;

    @BeforeAll
    static void open() {
        model = LanguageModel.open(FILE, ModelOptions.defaults().withSequences(2), LoadListener.NONE);
    }

    @AfterAll
    static void close() {
        model.close();
    }

    private static void firstWords(Path file) {
        try (LanguageModel model = LanguageModel.open(file)) {
            Generation generation =
                    model.generate("harbor, n.", (token, text) -> System.out.print(text)); // as it is generated
            System.out.printf("%n%d tokens, %s%n", generation.tokens(), generation.end());
        }
    }

    @Test
    void aPromptIsContinued() {
        assertThat(Printed.by(() -> firstWords(FILE))).containsPattern("\\w+.*\\R\\d+ tokens, [A-Z_]+");
    }

    private static void readmeExample(Path file) {
        try (LanguageModel model = LanguageModel.open(file)) {
            model.generate("Once upon a time", (token, text) -> System.out.print(text));
        }
    }

    @Test
    void theModelOfTheReadmeWrites() {
        assertThat(Printed.by(() -> readmeExample(FILE))).isNotBlank();
    }

    private static Generation choose(Session session, int[] prompt) {
        GenerationOptions options = GenerationOptions.defaults()
                .withMaxTokens(40)
                .withSampling(SamplingOptions.defaults().withTemperature(0.6f).withSeed(7))
                .withStop(Thread.currentThread()::isInterrupted); // asked before every token
        return model.generate(session, prompt, options, TokenListener.NONE);
    }

    @Test
    void theSameSeedGivesTheSameText() {
        int[] prompt = model.tokenizer().encode("harbor, n.", EncodeOptions.PROMPT);
        try (Session one = model.newSession();
                Session other = model.newSession()) {
            assertThat(choose(one, prompt).text())
                    .isNotEmpty()
                    .isEqualTo(choose(other, prompt).text());
        }
    }

    private static int mostLikely(String text) {
        try (Session session = model.newSession()) { // allocates the KV cache and all compute memory
            int[] tokens = model.tokenizer().encode(text, EncodeOptions.PROMPT);
            session.run(new Batch().addAll(tokens, 0)); // sequence 0
            float[] logits = session.logits(0); // after the last token; overwritten by the next run
            int best = 0;
            for (int token = 1; token < logits.length; token++) {
                best = logits[token] > logits[best] ? token : best;
            }
            return best;
        }
    }

    @Test
    void logitsAreThoseOfTheGreedyToken() {
        int[] prompt = model.tokenizer().encode("harbor, n.", EncodeOptions.PROMPT);
        int[] first = {-1};
        GenerationOptions greedy = GenerationOptions.defaults().withSampling(SamplingOptions.greedy());
        try (Session session = model.newSession()) {
            model.generate(session, prompt, greedy.withMaxTokens(1), (token, text) -> first[0] = token);
        }
        assertThat(mostLikely("harbor, n.")).isEqualTo(first[0]);
    }

    private static int[] branch(Path file, int[] prompt, int first, int second) {
        ModelOptions options = ModelOptions.defaults().withSequences(2).withContext(1024);
        try (LanguageModel model = LanguageModel.open(file, options, LoadListener.NONE);
                Session session = model.newSession()) {
            session.run(new Batch().addAll(prompt, 0));
            session.fork(0, 1); // sequence 1 begins with the tokens of sequence 0; nothing is computed or copied
            session.run(new Batch().add(first, 0, true).add(second, 1, true)); // both in one pass
            System.out.println(session.outputs() + " rows of logits, room for " + session.room() + " more tokens");
            session.truncate(1, prompt.length); // drops the last token of sequence 1
            return new int[] {session.length(0), session.length(1)};
        }
    }

    @Test
    void sequencesBranch() {
        int[] prompt = {1, 2, 3};
        int[][] lengths = {{}};
        assertThat(Printed.by(() -> lengths[0] = branch(FILE, prompt, 4, 5)).strip())
                .isEqualTo("2 rows of logits, room for 1019 more tokens");
        assertThat(lengths[0]).containsExactly(4, 3);
    }

    private static void talk(GenerationOptions options) {
        ChatTemplate template = model.chatTemplate().orElse(ChatTemplate.raw());
        try (Conversation conversation = new Conversation(model, template)) {
            conversation.instruct("Answer briefly."); // optional: the system message
            conversation.say("What is a harbor?", options, (token, text) -> System.out.print(text));
            conversation.say("And a port?", options, (token, text) -> System.out.print(text));
            for (ChatMessage message : conversation.messages()) {
                System.out.println(message.role().label() + ": " + message.content());
            }
        }
    }

    @Test
    void aConversationIsRemembered() {
        String printed = Printed.by(() -> talk(GenerationOptions.defaults().withMaxTokens(5)));
        assertThat(printed)
                .contains("system: Answer briefly.", "user: What is a harbor?", "user: And a port?", "assistant: ");
    }

    private static Map<String, String> inParallel(String... prompts) {
        Map<String, String> answers = new ConcurrentHashMap<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (String prompt : prompts) {
                threads.execute(() -> {
                    Generation generation = model.generate(prompt, TokenListener.NONE); // in a session of its own
                    answers.put(prompt, generation.text());
                });
            }
        } // waits for all of them
        return answers;
    }

    @Test
    void sessionsShareAModel() {
        assertThat(inParallel("harbor, n.", "port, n.")).containsOnlyKeys("harbor, n.", "port, n.");
    }
}
