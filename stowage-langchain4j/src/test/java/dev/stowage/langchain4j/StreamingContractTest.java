package dev.stowage.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.common.AbstractStreamingChatModelIT;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.stowage.langchain4j.ChatContractTest.Structured;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract that LangChain4j has for chat models that stream. */
class StreamingContractTest extends AbstractStreamingChatModelIT {

    private final StowageEngine engine = Engines.open();

    @AfterAll
    void close() {
        engine.close();
    }

    private StowageStreamingChatModel.Builder scripted() {
        return StowageStreamingChatModel.builder().engine(engine).responseFormat(Engines.SCRIPT);
    }

    @Override
    protected List<StreamingChatModel> models() {
        return List.of(scripted().build());
    }

    @Override
    protected StreamingChatModel createModelWith(ChatRequestParameters parameters) {
        return scripted().defaultRequestParameters(parameters).build();
    }

    @Override
    public StreamingChatModel createModelWith(ChatModelListener listener) {
        return scripted().listeners(List.of(listener)).build();
    }

    @Override
    protected ChatRequestParameters createIntegrationSpecificParameters(int maxOutputTokens) {
        return ChatRequestParameters.builder().maxOutputTokens(maxOutputTokens).build();
    }

    @ParameterizedTest
    @MethodSource("modelsSupportingStructuredOutputs")
    @Override
    protected void should_respect_JSON_response_format(StreamingChatModel model) {
        Structured.check(answer(model, ResponseFormat.JSON), "(?s)\\{.*");
    }

    @ParameterizedTest
    @MethodSource("modelsSupportingStructuredOutputs")
    @Override
    protected void should_respect_JSON_response_format_with_schema(StreamingChatModel model) {
        Structured.check(answer(model, Structured.CITY), "(?s)\\{\\s*\"city\":\\s*\".*");
    }

    @ParameterizedTest
    @MethodSource("models")
    @Override
    protected void should_respect_JsonRawSchema_responseFormat(StreamingChatModel model) {
        assertThat(answer(model, Structured.RAW).aiMessage().text())
                .matches("\\{\\s*\"city\":\\s*\"(Bern|Berlin)\"\\s*}");
    }

    private ChatResponse answer(StreamingChatModel model, ResponseFormat format) {
        return chat(model, Structured.request(format).build()).chatResponse();
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
}
