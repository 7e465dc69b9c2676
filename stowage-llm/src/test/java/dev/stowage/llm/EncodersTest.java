package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.llm.EmbeddingRecording.Case;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.engine.Pooling;
import dev.stowage.llm.tokenizer.EncodeOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Embedding models make the vectors that llama.cpp was recorded to make, one text at a time and all at once, and take what was
 * planned. The models were made with {@code stowage bench make-model}, and recorded with {@code LlamaCppEmbeddings}.
 */
class EncodersTest {

    private static final ModelOptions OPTIONS =
            ModelOptions.defaults().withSequences(8).withContext(1024).withDevices(List.of(TestModels.cpu()));

    /**
     * The length of the difference of two vectors of length 1. llama.cpp looks GELU up in a table of halves, which is not done
     * here.
     */
    private static final double PLAIN_ERROR = 1e-3;

    /**
     * Rounding to eight bits magnifies it: with flash attention llama.cpp's own vectors differ by up to 1.3e-2 between a text
     * alone and the same together with others.
     */
    private static final double QUANTISED_ERROR = 2e-2;

    private static final EmbeddingRecording PLAIN = EmbeddingRecording.read("golden.json.gz");
    private static final EmbeddingRecording FLASH = EmbeddingRecording.read("flash.json.gz");

    private static Stream<String> recorded() {
        return PLAIN.names().stream();
    }

    private static Stream<String> halves() {
        return recorded().filter(name -> !name.contains("Q"));
    }

    private static Path file(String name) {
        return TestModels.file("encoders/" + name);
    }

    private static LanguageModel open(String name, ModelOptions options) {
        return LanguageModel.open(file(name), options, LoadListener.NONE);
    }

    /** The vectors of texts that go through a model at once. */
    private static List<double[]> vectors(LanguageModel model, Session session, List<int[]> texts) {
        boolean isMean = Pooling.of(model.metadata()).orElseThrow() == Pooling.MEAN;
        Batch batch = new Batch().states();
        for (int text = 0; text < texts.size(); text++) {
            for (int i = 0; i < texts.get(text).length; i++) {
                batch.add(texts.get(text)[i], text, isMean || i == 0);
            }
        }
        session.run(batch);
        List<double[]> vectors = new ArrayList<>();
        int output = 0;
        for (int[] text : texts) {
            double[] sum = new double[model.blueprint().shape().width()];
            for (int i = 0; i < (isMean ? text.length : 1); i++) {
                float[] state = session.state(output++);
                for (int j = 0; j < sum.length; j++) {
                    sum[j] += state[j];
                }
            }
            vectors.add(sum);
        }
        return vectors;
    }

    /** The vectors of texts of which as many go through a model at once as there is room for. */
    private static List<double[]> together(LanguageModel model, Session session, List<int[]> texts) {
        List<double[]> vectors = new ArrayList<>();
        List<int[]> next = new ArrayList<>();
        int tokens = 0;
        for (int[] text : texts) {
            if (tokens + text.length > session.context()) {
                vectors.addAll(vectors(model, session, next));
                next.clear();
                tokens = 0;
            }
            next.add(text);
            tokens += text.length;
        }
        vectors.addAll(vectors(model, session, next));
        return vectors;
    }

    private static double[] scaled(double[] vector) {
        double squares = 0;
        for (double each : vector) {
            squares += each * each;
        }
        double length = Math.sqrt(squares);
        return Arrays.stream(vector).map(each -> each / length).toArray();
    }

    private static double difference(double[] found, float[] recorded) {
        double[] one = scaled(found);
        double[] other = scaled(IntStream.range(0, recorded.length)
                .mapToDouble(i -> recorded[i])
                .toArray());
        double squares = 0;
        for (int i = 0; i < one.length; i++) {
            squares += (one[i] - other[i]) * (one[i] - other[i]);
        }
        return Math.sqrt(squares);
    }

    private static void check(String name, AttentionMode attention, EmbeddingRecording recording) {
        double most = name.contains("Q") ? QUANTISED_ERROR : PLAIN_ERROR;
        List<Case> cases = recording.cases(name);
        try (LanguageModel model = open(name, OPTIONS.withAttention(attention));
                Session session = model.newSession()) {
            List<double[]> together =
                    together(model, session, cases.stream().map(Case::tokens).toList());
            for (int i = 0; i < cases.size(); i++) {
                Case each = cases.get(i);
                assertThat(model.tokenizer().encode(each.text(), EncodeOptions.PROMPT))
                        .isEqualTo(each.tokens());
                double[] alone = vectors(model, session, List.of(each.tokens())).getFirst();
                assertThat(difference(alone, each.alone()))
                        .as("%s, '%s' alone", name, each.text())
                        .isLessThan(most);
                assertThat(difference(together.get(i), each.together()))
                        .as("%s, '%s' together", name, each.text())
                        .isLessThan(most);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void vectorsAreThoseThatWereRecorded(String name) {
        check(name, AttentionMode.PLAIN, PLAIN);
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void withFlashAttentionTheyAreThoseRecordedWithIt(String name) {
        check(name, AttentionMode.FUSED, FLASH);
    }

    /** The vectors of three texts together, twice, and then of one. */
    private static double[][] vectors(String name, ModelOptions options) {
        List<int[]> texts =
                PLAIN.cases(name).stream().map(Case::tokens).limit(3).toList();
        try (LanguageModel model = open(name, options);
                Session session = model.newSession()) {
            List<double[]> all = new ArrayList<>(vectors(model, session, texts));
            all.addAll(vectors(model, session, texts.reversed()));
            all.addAll(vectors(model, session, texts.subList(0, 1)));
            return all.toArray(double[][]::new);
        }
    }

    @ParameterizedTest
    @MethodSource("halves")
    void devicesPipelinesAndPlannersMakeNoDifference(String name) {
        for (AttentionMode attention : List.of(AttentionMode.PLAIN, AttentionMode.FUSED)) {
            PlannedRuns.requireSameEverywhere(OPTIONS.withAttention(attention), options -> vectors(name, options));
        }
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void whatIsPlannedIsTaken(String name) {
        int[] text = IntStream.range(0, 50).map(i -> 5 + i * 37 % 300).toArray();
        for (AttentionMode attention : List.of(AttentionMode.PLAIN, AttentionMode.FUSED)) {
            ModelOptions options = ModelOptions.defaults()
                    .withContext(100)
                    .withBatch(40)
                    .withSequences(2)
                    .withAttention(attention);
            PlannedRuns.requireTakenAsPlanned(file(name), options, session -> {
                session.run(states(text, text));
                session.run(states(text));
            });
        }
    }

    /** A batch of whole texts that asks for the states of all their tokens. */
    private static Batch states(int[]... texts) {
        Batch batch = new Batch().states();
        for (int text = 0; text < texts.length; text++) {
            for (int token : texts[text]) {
                batch.add(token, text, true);
            }
        }
        return batch;
    }

    @Test
    void aSessionKeepsNothingAndReadsTextsWhole() {
        try (LanguageModel model = open("tiny-bert", OPTIONS);
                Session session = model.newSession()) {
            assertThat(model.context()).isEqualTo(128);
            assertThat(session.cacheBytes(0)).isZero();
            session.run(new Batch().add(2, 0, true).add(3, 0, true).states());
            assertThat(session.outputs()).isEqualTo(2);
            assertThat(session.length(0)).isZero();
            Batch tooMany = new Batch().states();
            IntStream.range(0, 129).forEach(_ -> tooMany.add(7, 0, false));
            assertThatThrownBy(() -> session.run(tooMany))
                    .isInstanceOf(AllocationException.class)
                    .hasMessageContaining("128 tokens at once")
                    .hasMessageContaining("not for 129");
        }
    }

    @Test
    void anEmbeddingModelWritesNoText() {
        try (LanguageModel model = open("tiny-nomic-bert", OPTIONS);
                Session session = model.newSession()) {
            assertThatThrownBy(() -> model.generate("a text", (_, _) -> {}))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("is an embedding model, of the architecture nomic-bert")
                    .hasMessageContaining("stowage serve");
            assertThatThrownBy(() -> new Conversation(model, ChatTemplate.raw()))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("embedding model");
            assertThatThrownBy(() -> session.run(new Batch().add(5, 0, true)))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("neither logits nor tokens");
        }
    }
}
