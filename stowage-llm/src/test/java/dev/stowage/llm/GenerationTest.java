package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AllocationException;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.sampling.SamplingOptions;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class GenerationTest {

    private static final GenerationOptions GREEDY = GenerationOptions.defaults().withSampling(SamplingOptions.greedy());

    private static LanguageModel model;

    @BeforeAll
    static void open() {
        model = LanguageModel.open(
                TestModels.lexicon(),
                ModelOptions.defaults().withContext(40).withDevices(List.of(TestModels.cpu())),
                LoadListener.NONE);
    }

    @AfterAll
    static void close() {
        model.close();
    }

    @Test
    void whatTheListenerHearsIsTheText() {
        StringBuilder heard = new StringBuilder();
        Generation made = model.generate("tensor, n.", GREEDY, (_, text) -> heard.append(text));
        assertThat(made.text()).isEqualTo(heard.toString()).isNotBlank();
        assertThat(made.end()).isEqualTo(Generation.End.END_OF_TEXT);
        assertThat(made.promptTokens()).isEqualTo(7);
    }

    @Test
    void theSameSeedGivesTheSameText() {
        GenerationOptions chance = GenerationOptions.defaults()
                .withMaxTokens(20)
                .withSampling(SamplingOptions.defaults().withTemperature(1.5f).withSeed(7));
        String text = model.generate("harbor, n.", chance, TokenListener.NONE).text();
        assertThat(model.generate("harbor, n.", chance, TokenListener.NONE).text())
                .isEqualTo(text);
        assertThat(model.generate(
                                "harbor, n.",
                                chance.withSampling(chance.sampling().withSeed(8)),
                                TokenListener.NONE)
                        .text())
                .isNotEqualTo(text);
    }

    @Test
    void thereAreAsManyTokensAsAskedFor() {
        Generation made = model.generate("graceful, adj.", GREEDY.withMaxTokens(3), TokenListener.NONE);
        assertThat(made.tokens()).isEqualTo(3);
        assertThat(made.end()).isEqualTo(Generation.End.ENOUGH_TOKENS);
        assertThat(model.generate("graceful, adj.", GREEDY.withMaxTokens(0), TokenListener.NONE)
                        .text())
                .isEmpty();
    }

    @Test
    void itEndsWhereTheContextIsFull() {
        // No token ends the text, so that it goes on for as long as it can.
        GenerationOptions endless = GenerationOptions.defaults()
                .withSampling(SamplingOptions.defaults()
                        .withTemperature(100)
                        .withTopK(0)
                        .withTopP(1)
                        .withMinP(0));
        Generation made = model.generate("a", endless, TokenListener.NONE);
        assertThat(made.end()).isIn(Generation.End.CONTEXT_FULL, Generation.End.END_OF_TEXT);
        assertThat(made.promptTokens() + made.tokens()).isLessThanOrEqualTo(41);
    }

    @Test
    void itStopsWhenAskedTo() {
        int[] heard = {0};
        Generation made = model.generate("harbor, n.", GREEDY.withStop(() -> heard[0] == 2), (_, _) -> heard[0]++);
        assertThat(made.end()).isEqualTo(Generation.End.STOPPED);
        assertThat(made.tokens()).isEqualTo(2);
    }

    @Test
    void aPromptThatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> model.generate("very ".repeat(50), GREEDY, TokenListener.NONE))
                .isInstanceOf(AllocationException.class)
                .hasMessageContaining("the context is full");
    }

    @Test
    void aConversationRemembersWhatWasSaid() {
        try (Conversation conversation = new Conversation(model, ChatTemplate.raw())) {
            Generation first = conversation.say("tensor, n.", GREEDY.withMaxTokens(4), TokenListener.NONE);
            int length = conversation.session().length(0);
            Generation second = conversation.say("or", GREEDY.withMaxTokens(4), TokenListener.NONE);
            assertThat(conversation.messages()).hasSize(4);
            assertThat(conversation.messages().get(1).content()).isEqualTo(first.text());
            assertThat(second.promptTokens()).isLessThan(length);
            assertThat(conversation.session().length(0)).isGreaterThan(length);
            conversation.clear();
            assertThat(conversation.session().length(0)).isZero();
        }
    }
}
