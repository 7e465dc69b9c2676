package dev.stowage.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.common.AbstractStreamingChatModelIT;
import dev.langchain4j.model.chat.common.ChatResponseAndStreamingMetadata;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonEnumSchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tools, with a template that shows them to the model. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ToolCallsTest {

    private static final ToolSpecification WEATHER = ToolSpecification.builder()
            .name("weather")
            .description("The weather of a city")
            .parameters(JsonObjectSchema.builder()
                    .addProperty(
                            "city",
                            JsonEnumSchema.builder().enumValues("Lomé", "Bern").build())
                    .required("city")
                    .build())
            .build();

    private static final ToolSpecification TIME =
            ToolSpecification.builder().name("time").build();

    private final StowageEngine engine = Engines.withTools();

    @AfterAll
    void close() {
        engine.close();
    }

    private static ChatRequest.Builder request(ToolChoice choice) {
        return ChatRequest.builder()
                .messages(UserMessage.from("Is it hot in Lomé?"))
                .toolSpecifications(WEATHER, TIME)
                .toolChoice(choice)
                .maxOutputTokens(100);
    }

    private static void check(AiMessage message) {
        assertThat(message.toolExecutionRequests())
                .singleElement()
                .satisfies(call -> assertThat(call.name() + call.arguments())
                        .matches("weather\\{\"city\":\"(Lomé|Bern)\"}|time\\{}"));
        assertThat(message.text()).isNull();
    }

    @Test
    void aRequiredToolIsCalledAndItsResultGoesIntoTheConversation() {
        StowageChatModel model =
                StowageChatModel.builder().engine(engine).temperature(0.9).build();
        ChatResponse response = model.chat(request(ToolChoice.REQUIRED).build());
        check(response.aiMessage());
        assertThat(response.finishReason()).isEqualTo(FinishReason.TOOL_EXECUTION);
        ToolExecutionRequest call = response.aiMessage().toolExecutionRequests().getFirst();
        ChatResponse next = model.chat(ChatRequest.builder()
                .messages(
                        UserMessage.from("Is it hot in Lomé?"),
                        response.aiMessage(),
                        ToolExecutionResultMessage.from(call, "34 degrees"))
                .toolSpecifications(WEATHER)
                .maxOutputTokens(10)
                .build());
        assertThat(next.aiMessage().text()).isNotNull();
        assertThat(next.tokenUsage().inputTokenCount())
                .isGreaterThan(response.tokenUsage().inputTokenCount() / 2);
    }

    @Test
    void callsAreStreamedWhenTheyAreComplete() {
        StowageStreamingChatModel model =
                StowageStreamingChatModel.builder().engine(engine).build();
        ChatResponseAndStreamingMetadata answer = AbstractStreamingChatModelIT.chat(
                model, request(ToolChoice.REQUIRED).build(), _ -> {}, 60, true);
        check(answer.chatResponse().aiMessage());
        assertThat(answer.streamingMetadata().completeToolCalls())
                .singleElement()
                .satisfies(call -> assertThat(call.toolExecutionRequest())
                        .isEqualTo(answer.chatResponse()
                                .aiMessage()
                                .toolExecutionRequests()
                                .getFirst()));
        assertThat(answer.streamingMetadata().concatenatedPartialResponses()).isNull();
    }

    @Test
    void withoutChoiceTheModelDecidesAndWithNoneItSeesNoTools() {
        StowageChatModel model = StowageChatModel.builder().engine(engine).build();
        ChatResponse free =
                model.chat(request(ToolChoice.AUTO).maxOutputTokens(5).build());
        ChatResponse none =
                model.chat(request(ToolChoice.NONE).maxOutputTokens(5).build());
        assertThat(free.aiMessage().text()).isNotNull();
        assertThat(none.tokenUsage().inputTokenCount())
                .isLessThan(free.tokenUsage().inputTokenCount());
    }

    @Test
    void whatCannotBeHonouredIsRefused() {
        StowageChatModel model = StowageChatModel.builder().engine(engine).build();
        assertThatThrownBy(() -> model.chat(request(ToolChoice.AUTO)
                        .responseFormat(ResponseFormat.JSON)
                        .build()))
                .isInstanceOf(UnsupportedFeatureException.class)
                .hasMessageContaining("JSON response format");
        assertThatThrownBy(() -> model.chat(ChatRequest.builder()
                        .messages(UserMessage.from("?"))
                        .toolChoice(ToolChoice.REQUIRED)
                        .build()))
                .isInstanceOf(InvalidRequestException.class);
        assertThatThrownBy(() -> model.chat(ChatRequest.builder()
                        .messages(UserMessage.from("?"))
                        .responseFormat(Engines.schema("{\"type\": \"array\", \"uniqueItems\": true}"))
                        .build()))
                .isInstanceOf(UnsupportedFeatureException.class)
                .hasMessageContaining("#/uniqueItems");
        assertThatThrownBy(() -> model.chat(ChatRequest.builder()
                        .messages(UserMessage.from("?"))
                        .temperature(-1.0)
                        .build()))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("temperature");
        assertThatThrownBy(() ->
                        StowageChatModel.builder().stopSequences(List.of()).build())
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("engine");
    }
}
