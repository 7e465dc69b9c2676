package dev.stowage.llm.chat;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonValue.JsonArray;
import dev.stowage.internal.json.JsonValue.JsonObject;
import dev.stowage.internal.json.JsonValue.JsonString;
import dev.stowage.internal.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Finds the calls of tools in the text of a model, as it comes: text that cannot be part of a call comes out at once, calls when
 * they are complete. What looks like a call and is none comes out as text. For one text, and one thread at a time.
 *
 * {@snippet class="dev.stowage.llm.grammar.ToolSnippetTest" region="parse"}
 */
public final class ToolCallParser {

    private static final String ID_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

    /** Mistral's templates refuse any other length. */
    private static final int ID_LENGTH = 9;

    /**
     * What is certain after a piece of text.
     *
     * @param text what is not part of a call
     * @param calls the calls that are complete now
     */
    public record Part(String text, List<ToolCall> calls) {

        public Part {
            calls = List.copyOf(calls);
        }
    }

    private final ToolFormat format;
    private final String marker;
    private final RandomGenerator random = RandomGenerator.getDefault();
    private final StringBuilder held = new StringBuilder();
    private boolean within;
    private boolean begun;
    private boolean afterCall;

    /**
     * A parser for one answer.
     *
     * @param format how the model writes calls
     * @param opened whether the prompt ended with the {@link ToolFormat#opening()} of a call, so that the answer continues it
     */
    public ToolCallParser(ToolFormat format, boolean opened) {
        this.format = format;
        this.marker = format.opening().strip();
        this.within = opened;
        this.begun = opened;
    }

    /** What is certain with this piece of the answer. */
    public Part next(String piece) {
        held.append(piece);
        return format == ToolFormat.HERMES ? marked() : atTheBeginning();
    }

    /** What is left at the end of the answer. */
    public Part finish() {
        String rest = held.toString();
        held.setLength(0);
        if (!within && (begun || format == ToolFormat.HERMES)) {
            return new Part(rest, List.of());
        }
        String calls =
                within || !rest.strip().startsWith(marker) ? rest : rest.strip().substring(marker.length());
        Optional<List<ToolCall>> parsed = parse(calls);
        return parsed.isPresent() ? new Part("", parsed.get()) : new Part(rest, List.of());
    }

    /** Calls are anywhere, between marks. */
    private Part marked() {
        StringBuilder text = new StringBuilder();
        List<ToolCall> calls = new ArrayList<>();
        while (true) {
            dropBlanksAfterCall();
            String mark = within ? format.closing() : marker;
            int at = held.indexOf(mark);
            if (at < 0) {
                int certain = within ? 0 : held.length() - beginning(held, mark);
                text.append(held, 0, certain);
                held.delete(0, certain);
                return new Part(text.toString(), calls);
            }
            String before = held.substring(0, at);
            held.delete(0, at + mark.length());
            if (within) {
                Optional<List<ToolCall>> parsed = parse(before);
                parsed.ifPresentOrElse(
                        calls::addAll, () -> text.append(marker).append(before).append(mark));
                afterCall = parsed.isPresent();
            } else {
                text.append(before);
            }
            within = !within;
        }
    }

    private void dropBlanksAfterCall() {
        while (afterCall && !held.isEmpty()) {
            afterCall = Character.isWhitespace(held.charAt(0));
            held.delete(0, afterCall ? 1 : 0);
        }
    }

    /** How many characters at the end of a text may be the beginning of a mark. */
    private static int beginning(StringBuilder text, String mark) {
        for (int length = Math.min(mark.length() - 1, text.length()); length > 0; length--) {
            if (mark.startsWith(text.substring(text.length() - length))) {
                return length;
            }
        }
        return 0;
    }

    /** The whole answer is calls, or none of it: its beginning says which. */
    private Part atTheBeginning() {
        if (within || (!begun && mayBeCalls())) {
            return new Part("", List.of());
        }
        begun = true;
        String text = held.toString();
        held.setLength(0);
        return new Part(text, List.of());
    }

    private boolean mayBeCalls() {
        String text = held.toString().strip();
        boolean marked = !marker.isEmpty() && (marker.startsWith(text) || text.startsWith(marker));
        return text.isEmpty()
                || marked
                || text.startsWith(format == ToolFormat.MISTRAL ? "[{" : "{")
                || text.equals("[");
    }

    private Optional<List<ToolCall>> parse(String text) {
        JsonValue value;
        try {
            value = JsonReader.parse(text.strip());
        } catch (MalformedDataException _) {
            return Optional.empty();
        }
        List<JsonValue> all = value instanceof JsonArray(List<JsonValue> elements) ? elements : List.of(value);
        List<ToolCall> calls = new ArrayList<>();
        for (JsonValue each : all) {
            Optional<ToolCall> call = call(each);
            if (call.isEmpty()) {
                return Optional.empty();
            }
            calls.add(call.get());
        }
        return calls.isEmpty() ? Optional.empty() : Optional.of(calls);
    }

    private Optional<ToolCall> call(JsonValue value) {
        if (!(value instanceof JsonObject object)
                || !(object.members().get("name") instanceof JsonString(String name))
                || !(object.members().get(format.arguments()) instanceof JsonObject arguments)) {
            return Optional.empty();
        }
        return Optional.of(new ToolCall(id(), name, JsonWriter.compact(arguments)));
    }

    private String id() {
        StringBuilder id = new StringBuilder();
        for (int i = 0; i < ID_LENGTH; i++) {
            id.append(ID_CHARACTERS.charAt(random.nextInt(ID_CHARACTERS.length())));
        }
        return id.toString();
    }
}
