package dev.stowage.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.exception.AuthenticationException;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.ModelNotFoundException;
import dev.langchain4j.model.chat.common.AbstractStreamingChatModelIT;
import dev.langchain4j.model.chat.common.ChatResponseAndStreamingMetadata;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonEnumSchema;
import dev.langchain4j.model.chat.request.json.JsonIntegerSchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiChatResponseMetadata;
import dev.langchain4j.model.openai.OpenAiEmbeddingModel;
import dev.langchain4j.model.openai.OpenAiEmbeddingModel.OpenAiEmbeddingModelBuilder;
import dev.langchain4j.model.openai.OpenAiLanguageModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.model.openai.OpenAiTokenUsage;
import dev.langchain4j.model.output.FinishReason;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.serve.ServeOptions;
import dev.stowage.serve.StowageServer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * LangChain4j's client for OpenAI uses the server: nobody here wrote it, and it is what programs with LangChain4j, Quarkus and
 * Spring reach a server of this kind with.
 */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenAiClientTest {

    private static final String KEY = "key-of-the-test";
    private static final UserMessage HARBOR = UserMessage.from("harbor, n.");

    private static final ToolSpecification WEATHER = ToolSpecification.builder()
            .name("weather")
            .parameters(JsonObjectSchema.builder()
                    .addProperty(
                            "city",
                            JsonEnumSchema.builder().enumValues("Lomé", "Bern").build())
                    .required("city")
                    .build())
            .build();

    private LanguageModel model;
    private StowageServer server;

    @BeforeAll
    void start() throws IOException {
        ModelOptions memory = ModelOptions.defaults().withSequences(2).withContext(2048);
        model = LanguageModel.open(Engines.FILE, memory, LoadListener.NONE);
        server = StowageServer.start(
                model,
                ServeOptions.defaults()
                        .withPort(0)
                        .withKeys(List.of(KEY))
                        .withTemplate(ChatTemplate.jinja(Engines.TOOLS, Map.of()))
                        .withSampling(SamplingOptions.greedy()));
    }

    @AfterAll
    void close() {
        server.close();
        model.close();
    }

    private String url() {
        return server.address() + "/v1";
    }

    private OpenAiChatModel.OpenAiChatModelBuilder chat() {
        return OpenAiChatModel.builder()
                .baseUrl(url())
                .apiKey(KEY)
                .modelName("any")
                .maxRetries(0)
                .maxTokens(12);
    }

    private OpenAiStreamingChatModel streaming() {
        return OpenAiStreamingChatModel.builder()
                .baseUrl(url())
                .apiKey(KEY)
                .modelName("any")
                .maxTokens(12)
                .build();
    }

    private OpenAiEmbeddingModelBuilder embedding() {
        return OpenAiEmbeddingModel.builder()
                .baseUrl(url())
                .apiKey(KEY)
                .modelName("any")
                .maxRetries(0);
    }

    @Test
    void aChatIsAnsweredWithItsUsage() {
        ChatResponse response = chat().build().chat(SystemMessage.from("Be brief."), HARBOR);
        assertThat(response.aiMessage().text()).isNotBlank();
        assertThat(response.finishReason()).isIn(FinishReason.STOP, FinishReason.LENGTH);
        assertThat(response.tokenUsage().outputTokenCount()).isBetween(1, 12);
        ChatResponse again = chat().build().chat(SystemMessage.from("Be brief."), HARBOR);
        OpenAiTokenUsage usage = (OpenAiTokenUsage) again.tokenUsage();
        assertThat(again.aiMessage().text()).isEqualTo(response.aiMessage().text());
        assertThat(usage.inputTokensDetails().cachedTokens())
                .as("all but the last token of the prompt")
                .isEqualTo(usage.inputTokenCount() - 1);
    }

    @Test
    void aStreamHasTheSameTextAndUsage() {
        ChatRequest request = ChatRequest.builder().messages(HARBOR).build();
        ChatResponse whole = chat().build().chat(request);
        ChatResponseAndStreamingMetadata streamed =
                AbstractStreamingChatModelIT.chat(streaming(), request, _ -> {}, 60, true);
        assertThat(streamed.chatResponse().aiMessage()).isEqualTo(whole.aiMessage());
        assertThat(streamed.chatResponse().finishReason()).isEqualTo(whole.finishReason());
        assertThat(streamed.chatResponse().tokenUsage().totalTokenCount())
                .isEqualTo(whole.tokenUsage().totalTokenCount());
        assertThat(streamed.streamingMetadata().concatenatedPartialResponses())
                .isEqualTo(whole.aiMessage().text());
    }

    @Test
    void probabilitiesComeWithTheAnswer() {
        ChatResponse response = chat().logprobs(true)
                .topLogprobs(2)
                .responseFormat(ResponseFormat.TEXT)
                .build()
                .chat(HARBOR);
        OpenAiChatResponseMetadata metadata = (OpenAiChatResponseMetadata) response.metadata();
        assertThat(metadata.logProbs())
                .hasSize(response.tokenUsage().outputTokenCount())
                .allSatisfy(each -> assertThat(each.topLogprobs()).hasSize(2));
    }

    @Test
    void aTextIsContinued() {
        OpenAiLanguageModel text = OpenAiLanguageModel.builder()
                .baseUrl(url())
                .apiKey(KEY)
                .modelName("any")
                .maxRetries(0)
                .build();
        assertThat(text.generate("harbor, n.").content()).isNotBlank();
    }

    @Test
    void vectorsAreTheSameInBothForms() {
        List<TextSegment> texts = List.of(TextSegment.from("harbor"), TextSegment.from("ship"));
        List<Embedding> plain =
                embedding().encodingFormat("float").build().embedAll(texts).content();
        List<Embedding> packed =
                embedding().encodingFormat("base64").build().embedAll(texts).content();
        assertThat(plain).hasSize(2);
        for (int text = 0; text < 2; text++) {
            assertThat(packed.get(text).vector()).hasSameSizeAs(plain.get(text).vector());
            for (int i = 0; i < plain.get(text).vector().length; i++) {
                assertThat(packed.get(text).vector()[i])
                        .isCloseTo(plain.get(text).vector()[i], within(1e-6f));
            }
        }
    }

    @Test
    void anAnswerConformsToItsSchema() {
        ResponseFormat format = ResponseFormat.builder()
                .type(ResponseFormatType.JSON)
                .jsonSchema(JsonSchema.builder()
                        .name("answer")
                        .rootElement(JsonObjectSchema.builder()
                                .addProperty(
                                        "count", JsonIntegerSchema.builder().build())
                                .addProperty(
                                        "kind",
                                        JsonEnumSchema.builder()
                                                .enumValues("ship", "harbor")
                                                .build())
                                .required("count", "kind")
                                .additionalProperties(false)
                                .build())
                        .build())
                .build();
        ChatRequest request = ChatRequest.builder()
                .messages(HARBOR)
                .responseFormat(format)
                .maxOutputTokens(100)
                .build();
        ChatResponse response =
                chat().maxTokens(null).strictJsonSchema(true).build().chat(request);
        assertThat(response.finishReason()).isEqualTo(FinishReason.STOP);
        assertThat(response.aiMessage().text())
                .matches("\\{\\s*\"count\":\\s*-?\\d+\\s*,\\s*\"kind\":\\s*\"(ship|harbor)\"\\s*}");
    }

    @Test
    void aRequiredToolIsCalledWholeAndInEvents() {
        ChatRequest request = ChatRequest.builder()
                .messages(HARBOR)
                .toolSpecifications(WEATHER)
                .toolChoice(ToolChoice.REQUIRED)
                .maxOutputTokens(100)
                .build();
        OpenAiChatModel whole = chat().maxTokens(null).parallelToolCalls(false).build();
        AiMessage message = whole.chat(request).aiMessage();
        assertThat(message.toolExecutionRequests())
                .singleElement()
                .satisfies(call ->
                        assertThat(call.name() + call.arguments()).matches("weather\\{\"city\":\"(Lomé|Bern)\"}"));
        ChatResponse next = whole.chat(ChatRequest.builder()
                .messages(
                        HARBOR,
                        message,
                        ToolExecutionResultMessage.from(
                                message.toolExecutionRequests().getFirst(), "34 degrees"))
                .toolSpecifications(WEATHER)
                .maxOutputTokens(5)
                .build());
        assertThat(next.tokenUsage().outputTokenCount()).isPositive();
        OpenAiStreamingChatModel events = OpenAiStreamingChatModel.builder()
                .baseUrl(url())
                .apiKey(KEY)
                .modelName("any")
                .parallelToolCalls(false)
                .build();
        ChatResponse streamed = AbstractStreamingChatModelIT.chat(events, request, _ -> {}, 60, true)
                .chatResponse();
        assertThat(streamed.finishReason()).isEqualTo(FinishReason.TOOL_EXECUTION);
        assertThat(streamed.aiMessage().toolExecutionRequests())
                .singleElement()
                .satisfies(call -> assertThat(call.arguments())
                        .isEqualTo(message.toolExecutionRequests().getFirst().arguments()));
    }

    @Test
    void errorsAreThoseThatTheClientKnows() {
        assertThatThrownBy(() -> chat().apiKey("wrong").build().chat(HARBOR))
                .isInstanceOf(AuthenticationException.class)
                .hasMessageContaining("API key is missing or wrong");
        assertThatThrownBy(() -> chat().temperature(-1.0).build().chat(HARBOR))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("'temperature' must be a number from 0 to 100");
        assertThatThrownBy(() -> chat().build().chat(UserMessage.from("harbor ".repeat(9000))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("has room for 2048");
        assertThatThrownBy(() -> chat().customParameters(Map.of("n", 2)).build().chat(HARBOR))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("'n' must be 1");
        assertThatThrownBy(
                        () -> chat().baseUrl(server.address() + "/v2").build().chat(HARBOR))
                .isInstanceOf(ModelNotFoundException.class)
                .hasMessageContaining("nothing at this path");
    }
}
