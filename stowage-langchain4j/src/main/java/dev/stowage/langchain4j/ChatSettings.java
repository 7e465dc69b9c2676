package dev.stowage.langchain4j;

import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.DefaultChatRequestParameters;
import dev.langchain4j.model.chat.request.ResponseFormat;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What the builders of both chat models have in common: the engine, and the parameters of requests that do not say otherwise.
 *
 * @param <B> the builder itself
 */
public abstract sealed class ChatSettings<B extends ChatSettings<B>>
        permits StowageChatModel.Builder, StowageStreamingChatModel.Builder {

    private final DefaultChatRequestParameters.Builder<?> named = DefaultChatRequestParameters.builder();
    private @Nullable StowageEngine engine;
    private ChatRequestParameters given = DefaultChatRequestParameters.EMPTY;
    private List<ChatModelListener> listeners = List.of();
    private OptionalLong seed = OptionalLong.empty();

    ChatSettings() {}

    abstract B self();

    /** On that engine, which has to stay open while the model is used. */
    public B engine(StowageEngine changed) {
        engine = changed;
        return self();
    }

    /** How much chance there is; 0 takes the most likely token always. */
    public B temperature(double changed) {
        named.temperature(changed);
        return self();
    }

    /** Only the most likely tokens that have this share of the probability together. */
    public B topP(double changed) {
        named.topP(changed);
        return self();
    }

    /** Only so many of the most likely tokens. */
    public B topK(int changed) {
        named.topK(changed);
        return self();
    }

    /** What is taken from the logit of a token for each time it came up lately. */
    public B frequencyPenalty(double changed) {
        named.frequencyPenalty(changed);
        return self();
    }

    /** What is taken from the logit of a token that came up lately. */
    public B presencePenalty(double changed) {
        named.presencePenalty(changed);
        return self();
    }

    /** At most so many tokens of an answer. */
    public B maxOutputTokens(int changed) {
        named.maxOutputTokens(changed);
        return self();
    }

    /** Strings that end an answer, and are not part of it. */
    public B stopSequences(List<String> changed) {
        named.stopSequences(changed);
        return self();
    }

    /** Text, any JSON object, or JSON that conforms to a schema. */
    public B responseFormat(ResponseFormat changed) {
        named.responseFormat(changed);
        return self();
    }

    /** Where the draws of every answer begin; without it they differ from request to request. */
    public B seed(long changed) {
        seed = OptionalLong.of(changed);
        return self();
    }

    /** The parameters of requests that do not say otherwise; those with a method of their own here go first. */
    public B defaultRequestParameters(ChatRequestParameters changed) {
        given = changed;
        return self();
    }

    /** Notified of requests, responses and errors. */
    public B listeners(List<ChatModelListener> changed) {
        listeners = List.copyOf(changed);
        return self();
    }

    StowageEngine engine() {
        return Objects.requireNonNull(engine, "a chat model needs an engine: engine(StowageEngine)");
    }

    ChatRequestParameters parameters() {
        return ChatRequestParameters.builder()
                .modelName(engine().modelName())
                .build()
                .overrideWith(given)
                .overrideWith(named.build());
    }

    List<ChatModelListener> listeners() {
        return listeners;
    }

    OptionalLong seed() {
        return seed;
    }
}
