package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.sampling.SamplingOptions;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A second thread in a session or a conversation is refused, and the first goes on as if it had been alone. */
@Timeout(120)
class SecondThreadTest {

    private static final GenerationOptions GREEDY =
            GenerationOptions.defaults().withMaxTokens(5).withSampling(SamplingOptions.greedy());
    private static final int[] PROMPT = {7, 8, 9};

    private static LanguageModel model;

    @BeforeAll
    static void open() {
        model = LanguageModel.open(
                TestModels.lexicon(),
                ModelOptions.defaults().withContext(64).withDevices(List.of(TestModels.cpu())),
                LoadListener.NONE);
    }

    @AfterAll
    static void close() {
        model.close();
    }

    /** Something that generates and reports its tokens. */
    private interface Generating {
        Generation run(TokenListener listener);
    }

    /** Makes calls in this thread while another is between two tokens of a text, and gives that text. */
    private static String text(Generating generating, Runnable meanwhile) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<Generation> made = thread.submit(() -> generating.run((_, _) -> {
                begun.countDown();
                try {
                    over.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }));
            begun.await();
            try {
                meanwhile.run();
            } finally {
                over.countDown();
            }
            return made.get().text();
        }
    }

    private static void requireRefused(String what, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("the " + what + " is in use by thread '")
                .hasMessageContaining(Thread.currentThread().getName())
                .hasMessageContaining("one thread at a time");
    }

    @Test
    void aSessionInWhichAnotherThreadGeneratesIsRefused() throws Exception {
        try (Session session = model.newSession();
                Session other = model.newSession()) {
            String alone =
                    model.generate(other, PROMPT, GREEDY, TokenListener.NONE).text();
            String text = text(listener -> model.generate(session, PROMPT, GREEDY, listener), () -> {
                requireRefused("session", () -> session.run(new Batch().add(1, 0, true)));
                requireRefused("session", () -> session.truncate(0, 0));
                requireRefused("session", session::clear);
                requireRefused("session", () -> session.fork(0, 0));
                requireRefused("session", () -> session.logits(0));
                requireRefused("session", () -> model.generate(session, PROMPT, GREEDY, TokenListener.NONE));
            });
            assertThat(text).isEqualTo(alone);
            session.run(new Batch().add(1, 0, true));
        }
    }

    @Test
    void aConversationInWhichAnotherThreadIsAnsweredIsRefused() throws Exception {
        try (Conversation conversation = new Conversation(model, ChatTemplate.raw());
                Conversation other = new Conversation(model, ChatTemplate.raw())) {
            String alone = other.say("tensor, n.", GREEDY, TokenListener.NONE).text();
            String text = text(listener -> conversation.say("tensor, n.", GREEDY, listener), () -> {
                requireRefused("conversation", () -> conversation.say("or", GREEDY, TokenListener.NONE));
                requireRefused("conversation", () -> conversation.instruct("be brief"));
                requireRefused("conversation", conversation::clear);
                requireRefused("session", () -> conversation.session().clear());
                assertThat(conversation.messages()).isEmpty();
            });
            assertThat(text).isEqualTo(alone);
            assertThat(conversation.messages()).isEqualTo(other.messages()).hasSize(2);
        }
    }
}
