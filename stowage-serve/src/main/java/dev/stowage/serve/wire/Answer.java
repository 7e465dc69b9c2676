package dev.stowage.serve.wire;

import dev.stowage.llm.chat.ToolCall;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The answer to one request: what its response and the events of its stream have in common, and the form that they have for
 * chats and for texts.
 */
public sealed interface Answer {

    /**
     * What an answer consists of.
     *
     * @param text the text
     * @param calls the tools that the model asks to be called
     * @param likely the probabilities of the tokens, where they are wanted
     */
    record Content(String text, List<ToolCall> calls, List<TokenLikelihood> likely) {}

    /** A response with all of a text. */
    Map<String, Object> whole(Content content, String finish, Usage usage, Timings timings);

    /** The events before the first text. */
    List<Map<String, Object>> opening();

    /** The event with a piece of text. */
    Map<String, Object> piece(String text, List<TokenLikelihood> likely);

    /** The event with a call, by its number among the calls of the answer. */
    Map<String, Object> call(ToolCall call, int index);

    /** The event that says why the text ended. */
    Map<String, Object> ending(String finish, Timings timings);

    /** The event after all others, for clients that ask for it. */
    Map<String, Object> closing(Usage usage);

    /** An answer in a chat. */
    static Answer chat(String model, long seconds, boolean likelihoods) {
        return new Chat(new Envelope("chatcmpl-" + number(), model, seconds), likelihoods);
    }

    /** A continued text. */
    static Answer text(String model, long seconds, boolean likelihoods) {
        return new Text(new Envelope("cmpl-" + number(), model, seconds), likelihoods);
    }

    private static String number() {
        byte[] bytes = new byte[16];
        ThreadLocalRandom.current().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** What every response and event has. */
    record Envelope(String id, String model, long created) {

        Map<String, Object> of(String object, List<?> choices) {
            return Json.object("id", id, "object", object, "created", created, "model", model, "choices", choices);
        }
    }

    /** As {@code /v1/chat/completions} has it. */
    record Chat(Envelope envelope, boolean likelihoods) implements Answer {

        private static final String CHUNK = "chat.completion.chunk";

        @Override
        public Map<String, Object> whole(Content content, String finish, Usage usage, Timings timings) {
            boolean onlyCalls = content.text().isEmpty() && !content.calls().isEmpty();
            Map<String, Object> message =
                    Json.object("role", "assistant", "content", onlyCalls ? Json.NULL : content.text());
            if (!content.calls().isEmpty()) {
                message.put(
                        "tool_calls",
                        content.calls().stream().map(ToolFields::json).toList());
            }
            Map<String, Object> choice = Json.object(
                    "index",
                    0,
                    "message",
                    message,
                    "finish_reason",
                    finish,
                    "logprobs",
                    likelihoods ? TokenLikelihood.ofChat(content.likely()) : Json.NULL);
            Map<String, Object> all = envelope.of("chat.completion", List.of(choice));
            all.put("usage", usage.json());
            all.put("timings", timings.json());
            return all;
        }

        @Override
        public Map<String, Object> call(ToolCall call, int index) {
            Map<String, Object> fields = Json.object("index", index);
            fields.putAll(ToolFields.json(call));
            return chunk(Json.object("tool_calls", List.of(fields)), Json.NULL, List.of());
        }

        @Override
        public List<Map<String, Object>> opening() {
            return List.of(chunk(Json.object("role", "assistant", "content", ""), Json.NULL, List.of()));
        }

        @Override
        public Map<String, Object> piece(String text, List<TokenLikelihood> likely) {
            return chunk(Json.object("content", text), Json.NULL, likely);
        }

        @Override
        public Map<String, Object> ending(String finish, Timings timings) {
            Map<String, Object> chunk = chunk(Json.object(), finish, List.of());
            chunk.put("timings", timings.json());
            return chunk;
        }

        @Override
        public Map<String, Object> closing(Usage usage) {
            Map<String, Object> chunk = envelope.of(CHUNK, List.of());
            chunk.put("usage", usage.json());
            return chunk;
        }

        private Map<String, Object> chunk(Map<String, Object> delta, Object finish, List<TokenLikelihood> likely) {
            Object logprobs = likely.isEmpty() ? Json.NULL : TokenLikelihood.ofChat(likely);
            return envelope.of(
                    CHUNK,
                    List.of(Json.object("index", 0, "delta", delta, "logprobs", logprobs, "finish_reason", finish)));
        }
    }

    /** As {@code /v1/completions} has it: events are like responses. */
    final class Text implements Answer {

        private final Envelope envelope;
        private final boolean likelihoods;
        private int length;

        private Text(Envelope envelope, boolean likelihoods) {
            this.envelope = envelope;
            this.likelihoods = likelihoods;
        }

        @Override
        public Map<String, Object> whole(Content content, String finish, Usage usage, Timings timings) {
            Map<String, Object> all = event(content.text(), finish, content.likely());
            all.put("usage", usage.json());
            all.put("timings", timings.json());
            return all;
        }

        /** Only chats have tools. */
        @Override
        public Map<String, Object> call(ToolCall call, int index) {
            throw new IllegalStateException("a text has no calls");
        }

        @Override
        public List<Map<String, Object>> opening() {
            return List.of();
        }

        @Override
        public Map<String, Object> piece(String text, List<TokenLikelihood> likely) {
            return event(text, Json.NULL, likely);
        }

        @Override
        public Map<String, Object> ending(String finish, Timings timings) {
            Map<String, Object> event = event("", finish, List.of());
            event.put("timings", timings.json());
            return event;
        }

        @Override
        public Map<String, Object> closing(Usage usage) {
            Map<String, Object> event = envelope.of("text_completion", List.of());
            event.put("usage", usage.json());
            return event;
        }

        private Map<String, Object> event(String text, Object finish, List<TokenLikelihood> likely) {
            Object logprobs = likelihoods && !likely.isEmpty() ? TokenLikelihood.ofText(likely, length) : Json.NULL;
            length += text.length();
            return envelope.of(
                    "text_completion",
                    List.of(Json.object("index", 0, "text", text, "logprobs", logprobs, "finish_reason", finish)));
        }
    }
}
