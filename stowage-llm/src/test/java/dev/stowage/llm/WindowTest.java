package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AllocationException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sequences of models with windows behave as those of others: whatever was cut, forked or ran before, the logits are those
 * of the same tokens in a fresh session. The window is 16 tokens, and caches of windows have 256 cells.
 */
class WindowTest {

    private static final ModelOptions OPTIONS = ModelOptions.defaults()
            .withContext(1500)
            .withBatch(32)
            .withSequences(3)
            .withDevices(List.of(TestModels.cpu()));

    private static int[] tokens(Random random, int count) {
        return random.ints(count, 3, 512).toArray();
    }

    private static float[] fresh(LanguageModel model, int... tokens) {
        try (Session session = model.newSession()) {
            session.run(new Batch().addAll(tokens, 0));
            return session.logits(0).clone();
        }
    }

    private static void requireNear(float[] found, float[] expected, String what) {
        double error = 0;
        double power = 0;
        for (int i = 0; i < found.length; i++) {
            error += Math.pow(found[i] - expected[i], 2);
            power += Math.pow(expected[i], 2);
        }
        // Tokens are run in other passes than in the fresh session, so that sums are in another order.
        assertThat(error / power).as(what).isLessThan(1e-5);
    }

    private static LanguageModel gemma() {
        return LanguageModel.open(TestModels.file("families/tiny-gemma3"), OPTIONS, LoadListener.NONE);
    }

    @Test
    void aSequenceThatIsCutByAFewTokensGoesOn() {
        int[] all = tokens(new Random(1), 600);
        try (LanguageModel model = gemma();
                Session session = model.newSession()) {
            session.run(new Batch().addAll(all, 0));
            session.truncate(0, 590);
            int[] more = tokens(new Random(2), 5);
            session.run(new Batch().addAll(more, 0));
            int[] whole = Arrays.copyOf(all, 595);
            System.arraycopy(more, 0, whole, 590, 5);
            requireNear(session.logits(0), fresh(model, whole), "after a small cut");
        }
    }

    @Test
    void aSequenceThatIsCutBeforeItsWindowIsReadAgain() {
        int[] all = tokens(new Random(3), 700);
        try (LanguageModel model = gemma();
                Session session = model.newSession()) {
            session.run(new Batch().addAll(all, 0));
            session.truncate(0, 300);
            assertThat(session.length(0)).isEqualTo(300);
            assertThat(session.room()).isEqualTo(1200);
            session.run(new Batch().add(77, 0, true));
            int[] whole = Arrays.copyOf(all, 301);
            whole[300] = 77;
            requireNear(session.logits(0), fresh(model, whole), "after a cut to 300");
            assertThat(session.length(0)).isEqualTo(301);
            assertThat(session.room()).isEqualTo(1199);
        }
    }

    /** There are 256 cells for a window of 16 tokens, so that the last 200 are still there. */
    @Test
    void aCutByNoMoreThanTheCellsHoldReadsNothingAgain() {
        WindowCells cells = new WindowCells(256, 16, 1);
        for (int token = 0; token < 1000; token++) {
            cells.makeRoom(1);
            cells.take(0, 0);
        }
        cells.truncate(0, 800);
        assertThat(cells.length(0)).isEqualTo(800);
        cells.truncate(0, 700);
        assertThat(cells.length(0)).isZero();
        assertThat(cells.table().used()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void randomCallsGiveTheLogitsOfAFreshSession(long seed) {
        Random random = new Random(seed);
        int[][] texts = new int[3][0];
        try (LanguageModel model = gemma();
                Session session = model.newSession()) {
            for (int step = 0; step < 12; step++) {
                int sequence = random.nextInt(3);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        int length = random.nextInt(texts[sequence].length + 1);
                        session.truncate(sequence, length);
                        texts[sequence] = Arrays.copyOf(texts[sequence], length);
                    }
                    case 1 -> {
                        int to = (sequence + 1) % 3;
                        session.truncate(to, 0);
                        session.fork(sequence, to);
                        texts[to] = texts[sequence].clone();
                    }
                    default -> {
                        int[] more = tokens(random, 1 + random.nextInt(150));
                        if (more.length > session.room()) {
                            continue;
                        }
                        session.run(new Batch().addAll(more, sequence));
                        int before = texts[sequence].length;
                        texts[sequence] = Arrays.copyOf(texts[sequence], before + more.length);
                        System.arraycopy(more, 0, texts[sequence], before, more.length);
                        requireNear(
                                session.logits(0),
                                fresh(model, texts[sequence]),
                                "seed " + seed + ", step " + step + ", sequence " + sequence);
                    }
                }
            }
        }
    }

    @Test
    void cachesHaveTheCellsOfTheirWindows() {
        try (LanguageModel model = gemma();
                Session session = model.newSession()) {
            // One of 7 layers looks at all tokens; a cell is a key and a value of one head of 32 halves.
            long cell = 2 * 32 * Short.BYTES;
            assertThat(session.cacheBytes(0)).isEqualTo((1500 + 6 * 256) * cell);
        }
    }

    @Test
    void aFailedRunLeavesASequenceWithItsTokens() {
        int[] all = tokens(new Random(4), 400);
        try (LanguageModel model = gemma();
                Session session = model.newSession()) {
            session.run(new Batch().addAll(all, 0));
            Batch tooLong = new Batch().addAll(tokens(new Random(5), 1200), 0);
            assertThatThrownBy(() -> session.run(tooLong)).isInstanceOf(AllocationException.class);
            session.run(new Batch().add(9, 0, true));
            int[] whole = Arrays.copyOf(all, 401);
            whole[400] = 9;
            requireNear(session.logits(0), fresh(model, whole), "after a refused run");
        }
    }
}
