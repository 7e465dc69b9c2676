package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.device.BackendOptions;
import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.RunException;
import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionTest {

    private static final int VOCABULARY = 2048;
    private static final ModelOptions OPTIONS =
            ModelOptions.defaults().withContext(64).withSequences(70).withDevices(List.of(TestModels.cpu()));

    private static LanguageModel model;

    @BeforeAll
    static void open() {
        model = LanguageModel.open(TestModels.file("tiny-qwen2"), OPTIONS, LoadListener.NONE);
    }

    @AfterAll
    static void close() {
        model.close();
    }

    private static int[] tokens(long seed, int count) {
        return new SplittableRandom(seed).ints(count, 0, VOCABULARY).toArray();
    }

    private static float[] alone(LanguageModel opened, int[] tokens) {
        try (Session session = opened.newSession()) {
            session.run(new Batch().addAll(tokens, 0));
            return session.logits(0).clone();
        }
    }

    /** Sums over more or fewer masked cells and columns may be added up in another order, and no more than that. */
    private static void requireNear(float[] found, float[] expected) {
        double error = 0;
        double power = 0;
        for (int i = 0; i < expected.length; i++) {
            error += Math.pow((double) found[i] - expected[i], 2);
            power += Math.pow(expected[i], 2);
        }
        assertThat(error / power).isCloseTo(0, within(1e-5));
    }

    @Test
    void tokensOneByOneGiveWhatTheyGiveTogether() {
        int[] tokens = tokens(1, 20);
        float[] together = alone(model, tokens);
        try (Session session = model.newSession()) {
            for (int token : tokens) {
                session.run(new Batch().add(token, 0, true));
            }
            requireNear(session.logits(0), together);
            assertThat(session.length(0)).isEqualTo(20);
            assertThat(session.room()).isEqualTo(44);
        }
    }

    @Test
    void sequencesInOneBatchDoNotSeeEachOther() {
        int[] one = tokens(2, 9);
        int[] other = tokens(3, 12);
        try (Session session = model.newSession()) {
            Batch batch = new Batch();
            for (int i = 0; i < 12; i++) {
                if (i < 9) {
                    batch.add(one[i], 3, i == 8);
                }
                batch.add(other[i], 69, i == 11);
            }
            session.run(batch);
            assertThat(session.outputs()).isEqualTo(2);
            requireNear(session.logits(0), alone(model, one));
            requireNear(session.logits(1), alone(model, other));
        }
    }

    @Test
    void aForkGoesOnWhereTheOtherBeganAndTakesNoRoom() {
        int[] start = tokens(4, 10);
        int[] end = tokens(5, 5);
        int[] whole = new int[15];
        System.arraycopy(start, 0, whole, 0, 10);
        System.arraycopy(end, 0, whole, 10, 5);
        try (Session session = model.newSession()) {
            session.run(new Batch().addAll(start, 0));
            session.fork(0, 1);
            assertThat(session.room()).isEqualTo(54);
            session.run(new Batch().addAll(tokens(6, 7), 0));
            session.truncate(0, 0);
            assertThat(session.room()).isEqualTo(54);
            session.run(new Batch().addAll(end, 1));
            requireNear(session.logits(0), alone(model, whole));
        }
    }

    @Test
    void singleTokensOfSequencesThatAreCutAndForkedSeeTheirOwnOnly() {
        Random random = new Random(11);
        List<List<Integer>> texts = List.of(new ArrayList<>(), new ArrayList<>());
        try (Session session = model.newSession();
                Session fresh = model.newSession()) {
            for (int step = 0; step < 60; step++) {
                int sequence = random.nextInt(2);
                List<Integer> text = texts.get(sequence);
                switch (random.nextInt(8)) {
                    case 0 -> {
                        int length = random.nextInt(text.size() + 1);
                        session.truncate(sequence, length);
                        text.subList(length, text.size()).clear();
                    }
                    case 1 -> {
                        session.truncate(sequence, 0);
                        session.fork(1 - sequence, sequence);
                        text.clear();
                        text.addAll(texts.get(1 - sequence));
                    }
                    default -> {
                        int token = random.nextInt(2000);
                        text.add(token);
                        session.run(new Batch().add(token, sequence, true));
                        fresh.clear();
                        fresh.run(new Batch()
                                .addAll(text.stream().mapToInt(i -> i).toArray(), 0));
                        requireNear(session.logits(0), fresh.logits(0));
                    }
                }
            }
        }
    }

    @Test
    void whatWasCutOffIsForgotten() {
        int[] kept = tokens(7, 8);
        try (Session session = model.newSession()) {
            session.run(new Batch().addAll(kept, 0).addAll(tokens(8, 20), 0));
            session.truncate(0, 7);
            session.run(new Batch().add(kept[7], 0, true));
            requireNear(session.logits(0), alone(model, kept));
        }
    }

    @Test
    void aFullContextIsRefusedAndNothingIsLost() {
        try (Session session = model.newSession()) {
            session.run(new Batch().addAll(tokens(9, 60), 0));
            assertThatThrownBy(() -> session.run(new Batch().addAll(tokens(10, 5), 0)))
                    .isInstanceOf(AllocationException.class)
                    .hasMessageContaining("60 of 64 tokens are used, and 5 more do not fit")
                    .hasMessageContaining("larger context");
            assertThat(session.length(0)).isEqualTo(60);
            session.run(new Batch().addAll(tokens(11, 4), 0));
            assertThat(session.room()).isZero();
        }
    }

    @Test
    void aRunThatIsStoppedLeavesTheSequencesAsTheyWere() {
        AtomicBoolean stop = new AtomicBoolean();
        ModelOptions stoppable = OPTIONS.withBackend(BackendOptions.defaults().withAbort(stop::get));
        int[] tokens = tokens(12, 10);
        try (LanguageModel opened = LanguageModel.open(TestModels.file("tiny-qwen2"), stoppable, LoadListener.NONE);
                Session session = opened.newSession()) {
            stop.set(true);
            assertThatThrownBy(() -> session.run(new Batch().addAll(tokens, 0))).isInstanceOf(RunException.class);
            assertThat(session.length(0)).isZero();
            assertThat(session.outputs()).isZero();
            stop.set(false);
            session.run(new Batch().addAll(tokens, 0));
            requireNear(session.logits(0), alone(model, tokens));
        }
    }

    @Test
    void tokensAndSequencesThatDoNotExistAreNamed() {
        try (Session session = model.newSession()) {
            assertThatThrownBy(() -> session.run(new Batch().add(VOCABULARY, 0, true)))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("no token 2048");
            assertThatThrownBy(() -> session.run(new Batch().add(1, 70, true)))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("no sequence 70 among 70");
            assertThatThrownBy(() -> session.logits(0)).isInstanceOf(AccessException.class);
            assertThat(session.room()).isEqualTo(64);
        }
    }

    @Test
    void aClosedSessionIsRefused() {
        Session session = model.newSession();
        session.close();
        session.close();
        assertThatThrownBy(() -> session.run(new Batch().add(1, 0, true))).isInstanceOf(ClosedException.class);
    }

    @ParameterizedTest
    @CsvSource({"PLAIN, F16", "PLAIN, F32", "FUSED, F16", "FUSED, F32", "FUSED, Q8_0"})
    void memoryIsTakenAtOnceAndDoesNotGrow(AttentionMode attention, ElementType cache) {
        ModelOptions options =
                OPTIONS.withContext(700).withBatch(50).withAttention(attention).withCacheType(cache);
        try (LanguageModel opened = LanguageModel.open(TestModels.file("tiny-llama-moe"), options, LoadListener.NONE);
                Session session = opened.newSession()) {
            long before = session.computeBytes(0);
            session.run(new Batch().addAll(tokens(13, 270), 0));
            for (int token : tokens(14, 300)) {
                session.run(new Batch().add(token, 0, true));
            }
            assertThat(session.computeBytes(0)).isEqualTo(before);
        }
    }
}
