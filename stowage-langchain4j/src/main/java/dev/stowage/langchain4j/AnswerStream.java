package dev.stowage.langchain4j;

import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.chat.response.StreamingHandle;
import dev.stowage.error.StowageException;
import dev.stowage.llm.chat.ToolCall;
import dev.stowage.llm.chat.ToolCallParser;
import dev.stowage.llm.engine.Completion;
import dev.stowage.llm.engine.CompletionPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Passes one answer on to its handler as it comes. What the handler throws is reported to it as an error, and the answer goes on,
 * as LangChain4j asks; once the handler has cancelled, nothing more is passed on.
 */
final class AnswerStream implements Runnable, StreamingHandle {

    private final String modelName;
    private final Completion completion;
    private final StreamingChatResponseHandler handler;
    private final Optional<ToolCallParser> parser;
    private final StringBuilder text = new StringBuilder();
    private final List<ToolCall> calls = new ArrayList<>();
    private volatile boolean cancelled;

    AnswerStream(
            String modelName,
            Completion completion,
            ChatRequests.Prepared prepared,
            StreamingChatResponseHandler handler) {
        this.modelName = modelName;
        this.completion = completion;
        this.handler = handler;
        this.parser = prepared.tools().map(format -> new ToolCallParser(format, prepared.opened()));
    }

    @Override
    public void run() {
        try {
            Optional<CompletionPart> part = completion.next();
            while (part.isPresent() && !cancelled) {
                give(part.get().text());
                part = completion.next();
            }
            if (!cancelled) {
                parser.map(ToolCallParser::finish).ifPresent(this::give);
            }
            if (!cancelled) {
                ChatResponse response = ChatAnswers.response(modelName, completion.await(), text.toString(), calls);
                report(() -> handler.onCompleteResponse(response));
            }
        } catch (StowageException e) {
            fail(handler, e);
        } catch (InterruptedException e) {
            completion.cancel();
            Thread.currentThread().interrupt();
            fail(handler, e);
        }
    }

    private void give(String piece) {
        if (parser.isPresent()) {
            give(parser.get().next(piece));
        } else {
            giveText(piece);
        }
    }

    private void give(ToolCallParser.Part part) {
        giveText(part.text());
        for (ToolCall call : part.calls()) {
            calls.add(call);
            CompleteToolCall complete = new CompleteToolCall(calls.size() - 1, ChatAnswers.request(call));
            report(() -> handler.onCompleteToolCall(complete));
        }
    }

    private void giveText(String piece) {
        if (!piece.isEmpty()) {
            text.append(piece);
            report(() -> handler.onPartialResponse(new PartialResponse(piece), new PartialResponseContext(this)));
        }
    }

    private void report(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            report(handler, e);
        }
    }

    /** Reports what the engine failed with. */
    static void fail(StreamingChatResponseHandler handler, Exception failure) {
        report(handler, new InternalServerException(String.valueOf(failure.getMessage()), failure));
    }

    private static void report(StreamingChatResponseHandler handler, RuntimeException failure) {
        try {
            handler.onError(failure);
        } catch (RuntimeException _) {
            // Nobody is left to be told.
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        completion.cancel();
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }
}
