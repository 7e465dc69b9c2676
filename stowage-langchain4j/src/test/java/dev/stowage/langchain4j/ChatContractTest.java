package dev.stowage.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.common.AbstractChatModelIT;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract that LangChain4j has for chat models. */
class ChatContractTest extends AbstractChatModelIT {

    private final StowageEngine engine = Engines.open();

    @AfterAll
    void close() {
        engine.close();
    }

    private StowageChatModel.Builder scripted() {
        return StowageChatModel.builder().engine(engine).responseFormat(Engines.SCRIPT);
    }

    @Override
    protected List<ChatModel> models() {
        return List.of(
                scripted().build(),
                scripted().temperature(1.5).topP(0.9).topK(20).seed(3).build());
    }

    @Override
    protected ChatModel createModelWith(ChatRequestParameters parameters) {
        return scripted().defaultRequestParameters(parameters).build();
    }

    @Override
    protected ChatRequestParameters createIntegrationSpecificParameters(int maxOutputTokens) {
        return ChatRequestParameters.builder().maxOutputTokens(maxOutputTokens).build();
    }

    @ParameterizedTest
    @MethodSource("modelsSupportingStructuredOutputs")
    @Override
    protected void should_respect_JSON_response_format(ChatModel model) {
        ChatResponse response =
                model.chat(Structured.request(ResponseFormat.JSON).build());
        Structured.check(response, "(?s)\\{.*");
    }

    @ParameterizedTest
    @MethodSource("modelsSupportingStructuredOutputs")
    @Override
    protected void should_respect_JSON_response_format_with_schema(ChatModel model) {
        ChatResponse response = model.chat(Structured.request(Structured.CITY).build());
        Structured.check(response, "(?s)\\{\\s*\"city\":\\s*\".*");
    }

    @ParameterizedTest
    @MethodSource("models")
    @Override
    protected void should_respect_JsonRawSchema_responseFormat(ChatModel model) {
        ChatResponse response = model.chat(Structured.request(Structured.RAW).build());
        assertThat(response.aiMessage().text()).matches("\\{\\s*\"city\":\\s*\"(Bern|Berlin)\"\\s*}");
        assertThat(response.finishReason()).isEqualTo(FinishReason.STOP);
    }

    @Override
    protected boolean supportsModelNameParameter() {
        return false;
    }

    @Override
    protected boolean supportsTools() {
        return false; // the dictionary has no template; ToolCallsTest has one
    }

    @Override
    protected boolean supportsToolChoiceRequired() {
        return false;
    }

    @Override
    protected boolean supportsSingleImageInputAsBase64EncodedString() {
        return false;
    }

    @Override
    protected boolean supportsSingleImageInputAsPublicURL() {
        return false;
    }

    /** Requests for JSON, and what their answers have to be. */
    static final class Structured {

        static final ResponseFormat CITY = Engines.schema(
                "{\"type\": \"object\", \"properties\": {\"city\": {\"type\": \"string\"}}, \"required\": [\"city\"]}");

        static final ResponseFormat RAW = Engines.schema("""
                {"type": "object", "properties": {"city": {"enum": ["Bern", "Berlin"]}}, "required": ["city"],
                 "additionalProperties": false}
                """);

        private Structured() {}

        static ChatRequest.Builder request(ResponseFormat format) {
            return ChatRequest.builder()
                    .messages(UserMessage.from("What is the capital of Germany?"))
                    .maxOutputTokens(60)
                    .responseFormat(format);
        }

        /** Random text may be cut off by the limit: then it is the beginning of what was asked for. */
        static void check(ChatResponse response, String beginning) {
            assertThat(response.aiMessage().text()).matches(beginning);
            assertThat(response.aiMessage().toolExecutionRequests()).isEmpty();
            assertThat(response.finishReason()).isIn(FinishReason.STOP, FinishReason.LENGTH);
            if (response.finishReason() == FinishReason.STOP) {
                assertThat(response.aiMessage().text()).endsWith("}");
            }
        }
    }
}
