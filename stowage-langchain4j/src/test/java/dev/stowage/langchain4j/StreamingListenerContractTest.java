package dev.stowage.langchain4j;

import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.common.AbstractStreamingChatModelListenerIT;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The contract that LangChain4j has for what listeners of chat models that stream are notified of. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StreamingListenerContractTest extends AbstractStreamingChatModelListenerIT {

    private final StowageEngine engine = Engines.open();

    @AfterAll
    void close() {
        engine.close();
    }

    private StowageStreamingChatModel model(StowageEngine on, ChatModelListener listener) {
        return StowageStreamingChatModel.builder()
                .engine(on)
                .defaultRequestParameters(ChatRequestParameters.builder()
                        .temperature(temperature())
                        .topP(topP())
                        .maxOutputTokens(maxTokens())
                        .build())
                .listeners(List.of(listener))
                .build();
    }

    @Override
    protected StreamingChatModel createModel(ChatModelListener listener) {
        return model(engine, listener);
    }

    @Override
    protected StreamingChatModel createFailingModel(ChatModelListener listener) {
        StowageEngine closed = Engines.open();
        closed.close();
        return model(closed, listener);
    }

    @Override
    protected String modelName() {
        return engine.modelName();
    }

    @Override
    protected Class<? extends Exception> expectedExceptionClass() {
        return InternalServerException.class;
    }

    @Override
    protected boolean supportsTools() {
        return false;
    }
}
