package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.error.AccessException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.llm.tokenizer.EncodeOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The states of a model are what its output matrix makes logits of. */
class StatesTest {

    private static final ModelOptions OPTIONS =
            ModelOptions.defaults().withContext(64).withBatch(8).withDevices(List.of(TestModels.cpu()));

    @Test
    void logitsAreTheOutputMatrixTimesTheState() {
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), OPTIONS, LoadListener.NONE);
                Session session = model.newSession();
                GgufFile file = GgufFile.open(TestModels.lexicon())) {
            int[] tokens = model.tokenizer().encode("harbor, n. a place where ships may lie", EncodeOptions.PROMPT);
            session.run(new Batch().addAll(tokens, 0));
            float[] logits = session.logits(0).clone();
            session.clear();
            session.run(new Batch().addAll(tokens, 0).states());
            assertThat(session.outputs()).isEqualTo(1);
            float[] state = session.state(0);
            assertThat(state).hasSize(model.blueprint().shape().width());
            MemorySegment rows = output(file, logits.length * state.length);
            for (int token = 0; token < logits.length; token += 97) {
                double sum = 0;
                for (int i = 0; i < state.length; i++) {
                    long at = (long) token * state.length + i;
                    sum += state[i] * Float.float16ToFloat(rows.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, at));
                }
                assertThat((double) logits[token]).as("token %d", token).isCloseTo(sum, within(0.02));
            }
        }
    }

    /** The output matrix, in halves. */
    private static MemorySegment output(GgufFile file, int elements) {
        GgufContents contents = file.contents();
        GgufTensor tensor = contents.find("output.weight").orElseGet(() -> contents.tensor("token_embd.weight"));
        MemorySegment rows = MemorySegment.ofArray(new short[elements]);
        file.read(tensor, 0, rows);
        return rows;
    }

    @Test
    void statesOfAllTokensComeFromSeveralPasses() {
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), OPTIONS, LoadListener.NONE);
                Session session = model.newSession()) {
            Batch batch = new Batch().states();
            for (int i = 0; i < 20; i++) {
                batch.add(300 + i, 0, true);
            }
            session.run(batch);
            assertThat(session.outputs()).isEqualTo(20);
            float[] last = session.state(19).clone();
            assertThat(session.state(3)).isNotEqualTo(last);
            assertThatThrownBy(() -> session.state(20)).isInstanceOf(AccessException.class);
            assertThatThrownBy(() -> session.logits(0))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("states");
            session.run(new Batch().add(5, 0, true));
            assertThatThrownBy(() -> session.state(0))
                    .isInstanceOf(AccessException.class)
                    .hasMessageContaining("no states");
        }
    }
}
