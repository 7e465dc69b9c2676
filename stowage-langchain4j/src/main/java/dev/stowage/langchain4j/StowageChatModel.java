package dev.stowage.langchain4j;

import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.stowage.error.StowageException;
import dev.stowage.llm.chat.ToolCall;
import dev.stowage.llm.chat.ToolCallParser;
import dev.stowage.llm.engine.Completion;
import dev.stowage.llm.engine.CompletionResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A chat model over a {@link StowageEngine}. Thread-safe; any number of them share one engine. */
public final class StowageChatModel implements ChatModel {

    private final StowageEngine engine;
    private final ChatRequests requests;
    private final ChatRequestParameters parameters;
    private final List<ChatModelListener> listeners;

    private StowageChatModel(Builder builder) {
        engine = builder.engine();
        requests = new ChatRequests(engine, builder.seed());
        parameters = builder.parameters();
        listeners = builder.listeners();
        requests.check(parameters);
    }

    /** A model, of which at least the engine has to be said. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public ChatResponse doChat(ChatRequest request) {
        ChatRequests.Prepared prepared = requests.prepare(request);
        try {
            Completion completion = engine.engine().submit(prepared.completion());
            try {
                return response(prepared, completion.await());
            } catch (InterruptedException e) {
                completion.cancel();
                Thread.currentThread().interrupt();
                throw new InternalServerException("interrupted while waiting for the answer", e);
            }
        } catch (StowageException e) {
            throw new InternalServerException(e.getMessage(), e);
        }
    }

    private ChatResponse response(ChatRequests.Prepared prepared, CompletionResult result) {
        if (prepared.tools().isEmpty()) {
            return ChatAnswers.response(engine.modelName(), result, result.text(), List.of());
        }
        ToolCallParser parser = new ToolCallParser(prepared.tools().get(), prepared.opened());
        ToolCallParser.Part first = parser.next(result.text());
        ToolCallParser.Part last = parser.finish();
        List<ToolCall> calls = new ArrayList<>(first.calls());
        calls.addAll(last.calls());
        return ChatAnswers.response(engine.modelName(), result, (first.text() + last.text()).strip(), calls);
    }

    @Override
    public ChatRequestParameters defaultRequestParameters() {
        return parameters;
    }

    @Override
    public List<ChatModelListener> listeners() {
        return listeners;
    }

    @Override
    public Set<Capability> supportedCapabilities() {
        return Set.of(Capability.RESPONSE_FORMAT_JSON_SCHEMA);
    }

    /** Collects the parameters of a model. */
    public static final class Builder extends ChatSettings<Builder> {

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /** The model. */
        public StowageChatModel build() {
            return new StowageChatModel(this);
        }
    }
}
