package dev.stowage.langchain4j;

import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.common.AbstractChatModelListenerIT;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The contract that LangChain4j has for what listeners of chat models are notified of. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListenerContractTest extends AbstractChatModelListenerIT {

    private final StowageEngine engine = Engines.open();

    @AfterAll
    void close() {
        engine.close();
    }

    private StowageChatModel model(StowageEngine on, ChatModelListener listener) {
        return StowageChatModel.builder()
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
    protected ChatModel createModel(ChatModelListener listener) {
        return model(engine, listener);
    }

    @Override
    protected ChatModel createFailingModel(ChatModelListener listener) {
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

    @Override
    protected boolean assertFinishReason() {
        return true;
    }
}
