package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.schedule.Schedule;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Passes that generate are scheduled once for each number of cells, as long as not too many others come between. */
class KeptPassesTest {

    private static final int SEQUENCES = 10;
    private static final int CONTEXT = 512;
    private static final ModelOptions OPTIONS = ModelOptions.defaults()
            .withContext(CONTEXT)
            .withSequences(SEQUENCES)
            .withDevices(List.of(TestModels.cpu()));

    private static LanguageModel model;

    @BeforeAll
    static void open() {
        model = LanguageModel.open(TestModels.file("tiny-qwen2"), OPTIONS, LoadListener.NONE);
    }

    @AfterAll
    static void close() {
        model.close();
    }

    /** One token for each of the first sequences. */
    private static Schedule step(Session session, int count) {
        Batch batch = new Batch();
        for (int sequence = 0; sequence < count; sequence++) {
            batch.add(100 + sequence, sequence, true);
        }
        session.run(batch);
        return session.schedule().orElseThrow();
    }

    private static float[] afterFirstStep() {
        try (Session session = model.newSession()) {
            step(session, 2);
            return session.logits(1).clone();
        }
    }

    @Test
    void aContextThatGrowsAndIsCutAgainHasItsEarlierPassesBack() {
        try (Session session = model.newSession()) {
            Schedule small = step(session, 2);
            session.run(new Batch().addAll(new int[300], 2));
            Schedule large = step(session, 2);
            assertThat(large).isNotSameAs(small);
            session.clear();
            assertThat(step(session, 2)).isSameAs(small);
            assertThat(session.logits(1)).containsExactly(afterFirstStep(), within(1e-4f));
            session.run(new Batch().addAll(new int[300], 2));
            assertThat(step(session, 2)).isSameAs(large);
        }
    }

    @Test
    void passesThatWereNotUsedForLongAreMadeAnew() {
        try (Session session = model.newSession()) {
            Schedule first = step(session, 2);
            for (int count = 3; count <= SEQUENCES; count++) {
                step(session, count);
            }
            session.clear();
            assertThat(step(session, SEQUENCES)).isNotSameAs(first);
            session.clear();
            assertThat(step(session, 2)).isNotSameAs(first);
            assertThat(session.logits(1)).containsExactly(afterFirstStep(), within(1e-4f));
        }
    }
}
