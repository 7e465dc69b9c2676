package dev.stowage.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import dev.stowage.llm.chat.ToolCall;
import dev.stowage.llm.engine.CompletionResult;
import java.util.List;
import java.util.UUID;

/** What the engine generated as responses of LangChain4j. */
final class ChatAnswers {

    private ChatAnswers() {}

    static ChatResponse response(String modelName, CompletionResult result, String text, List<ToolCall> calls) {
        AiMessage.Builder message = AiMessage.builder();
        if (!text.isEmpty() || calls.isEmpty()) {
            message.text(text);
        }
        message.toolExecutionRequests(calls.stream().map(ChatAnswers::request).toList());
        int generated = result.tokens().size();
        return ChatResponse.builder()
                .aiMessage(message.build())
                .id(UUID.randomUUID().toString())
                .modelName(modelName)
                .tokenUsage(new TokenUsage(result.promptTokens(), generated))
                .finishReason(calls.isEmpty() ? reason(result) : FinishReason.TOOL_EXECUTION)
                .build();
    }

    static ToolExecutionRequest request(ToolCall call) {
        return ToolExecutionRequest.builder()
                .id(call.id())
                .name(call.name())
                .arguments(call.arguments())
                .build();
    }

    private static FinishReason reason(CompletionResult result) {
        return switch (result.reason()) {
            case END_OF_TEXT, STOP_STRING -> FinishReason.STOP;
            case MAX_TOKENS, CONTEXT_FULL -> FinishReason.LENGTH;
            case CANCELLED, TIME_LIMIT -> FinishReason.OTHER;
        };
    }
}
