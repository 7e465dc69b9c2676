package dev.stowage.langchain4j;

import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.stowage.error.StowageException;
import dev.stowage.llm.engine.Completion;
import java.util.List;
import java.util.Set;

/**
 * A chat model whose answers come as they are generated, over a {@link StowageEngine}. Each answer is passed on by a virtual
 * thread of its own; a handler that takes its time delays nobody else. Thread-safe.
 */
public final class StowageStreamingChatModel implements StreamingChatModel {

    private final StowageEngine engine;
    private final ChatRequests requests;
    private final ChatRequestParameters parameters;
    private final List<ChatModelListener> listeners;

    private StowageStreamingChatModel(Builder builder) {
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
    public void doChat(ChatRequest request, StreamingChatResponseHandler handler) {
        ChatRequests.Prepared prepared = requests.prepare(request);
        Completion completion;
        try {
            completion = engine.engine().submit(prepared.completion());
        } catch (StowageException e) {
            Thread.ofVirtual().name("stowage-chat").start(() -> AnswerStream.fail(handler, e));
            return;
        }
        AnswerStream stream = new AnswerStream(engine.modelName(), completion, prepared, handler);
        Thread.ofVirtual().name("stowage-chat").start(stream);
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
        public StowageStreamingChatModel build() {
            return new StowageStreamingChatModel(this);
        }
    }
}
