package dev.stowage.serve.route;

import dev.stowage.llm.chat.ToolCall;
import dev.stowage.llm.chat.ToolCallParser;
import dev.stowage.llm.chat.ToolCallParser.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Separates the calls of tools in an answer from its text, as both come; where there are no tools all of it is text. */
final class CallReader {

    private final Optional<ToolCallParser> parser;
    private final List<ToolCall> calls = new ArrayList<>();

    CallReader(Optional<ToolCallParser> parser) {
        this.parser = parser;
    }

    static CallReader none() {
        return new CallReader(Optional.empty());
    }

    /** What is certain with this piece. */
    Part next(String piece) {
        return note(parser.map(each -> each.next(piece)).orElseGet(() -> new Part(piece, List.of())));
    }

    /** What is left at the end. */
    Part finish() {
        return note(parser.map(ToolCallParser::finish).orElseGet(() -> new Part("", List.of())));
    }

    private Part note(Part part) {
        calls.addAll(part.calls());
        return part;
    }

    /** All calls so far. */
    List<ToolCall> calls() {
        return calls;
    }
}
