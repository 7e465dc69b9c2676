package dev.stowage.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.stowage.llm.chat.ChatMessage;
import dev.stowage.llm.chat.ToolCall;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Messages of LangChain4j as those of chat templates. */
final class ChatMessages {

    private ChatMessages() {}

    static List<ChatMessage> of(List<dev.langchain4j.data.message.ChatMessage> messages) {
        return messages.stream().map(ChatMessages::of).toList();
    }

    private static ChatMessage of(dev.langchain4j.data.message.ChatMessage message) {
        return switch (message) {
            case SystemMessage system -> ChatMessage.system(system.text());
            case UserMessage user -> ChatMessage.user(text(user.contents()));
            case AiMessage answer ->
                ChatMessage.assistant(
                        Objects.requireNonNullElse(answer.text(), ""),
                        answer.toolExecutionRequests().stream()
                                .map(ChatMessages::call)
                                .toList());
            case ToolExecutionResultMessage result ->
                ChatMessage.tool(text(result.contents()), Objects.requireNonNullElse(result.id(), ""));
            default ->
                throw new UnsupportedFeatureException("messages of type " + message.type() + " are not supported");
        };
    }

    private static ToolCall call(ToolExecutionRequest request) {
        String arguments = request.arguments();
        return new ToolCall(
                Objects.requireNonNullElse(request.id(), ""),
                request.name(),
                arguments == null || arguments.isBlank() ? "{}" : arguments);
    }

    private static String text(List<Content> contents) {
        return contents.stream()
                .map(content -> {
                    if (content instanceof TextContent text) {
                        return text.text();
                    }
                    throw new UnsupportedFeatureException("content of type " + content.type() + " is not supported");
                })
                .collect(Collectors.joining("\n"));
    }
}
