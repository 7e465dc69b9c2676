package dev.stowage.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.embedding.EmbeddingModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The code of docs/langchain4j.md. */
class LangChain4jPageTest {

    private static String answer(Path file) {
        // @start region="chat"
        try (StowageEngine engine =
                StowageEngine.builder(file).contextSize(4096).slots(4).build()) {
            ChatModel model = StowageChatModel.builder()
                    .engine(engine)
                    .temperature(0.7)
                    .maxOutputTokens(40)
                    .build();
            ChatResponse response =
                    model.chat(SystemMessage.from("You are a dictionary."), UserMessage.from("What is a harbor?"));
            return response.aiMessage().text();
        }
        // @end
    }

    private static CompletableFuture<ChatResponse> stream(StowageEngine engine, StringBuilder out) {
        // @start region="stream"
        StreamingChatModel model = StowageStreamingChatModel.builder()
                .engine(engine)
                .maxOutputTokens(40)
                .build();
        CompletableFuture<ChatResponse> done = new CompletableFuture<>();
        model.chat("What is a harbor?", new StreamingChatResponseHandler() {
            @Override
            public void onPartialResponse(String part) {
                out.append(part);
            }

            @Override
            public void onCompleteResponse(ChatResponse response) {
                done.complete(response);
            }

            @Override
            public void onError(Throwable error) {
                done.completeExceptionally(error);
            }
        });
        // @end
        return done;
    }

    private static Embedding embedding(StowageEngine engine) {
        // @start region="embed"
        EmbeddingModel embeddings =
                StowageEmbeddingModel.builder().engine(engine).build();
        Embedding harbor = embeddings.embed("a place where ships are safe").content();
        // @end
        return harbor;
    }

    @Test
    void theCodeOfThePageRuns() throws Exception {
        assertThat(answer(Engines.FILE)).isNotBlank();
        try (StowageEngine engine = Engines.open()) {
            StringBuilder out = new StringBuilder();
            ChatResponse response = stream(engine, out).get();
            assertThat(response.aiMessage().text()).isEqualTo(out.toString()).isNotBlank();
            assertThat(embedding(engine).dimension()).isPositive();
        }
    }

    @Test
    void manyThreadsShareOneEngine() throws Exception {
        try (StowageEngine engine = Engines.open();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ChatModel model = StowageChatModel.builder()
                    .engine(engine)
                    .temperature(0)
                    .maxOutputTokens(12)
                    .build();
            String alone = model.chat("harbor, n.");
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                answers.add(threads.submit(() -> model.chat("harbor, n.")));
            }
            for (Future<String> each : answers) {
                assertThat(each.get()).hasSameSizeAs(alone).isEqualTo(alone);
            }
        }
    }
}
