package dev.stowage.llm.chat;

import java.util.List;
import java.util.stream.Collectors;

/** No template: the contents alone. */
enum RawChat implements ChatTemplate {
    INSTANCE;

    @Override
    public String label() {
        return "raw";
    }

    @Override
    public ChatPrompt render(List<ChatMessage> messages, boolean answer) {
        String all = messages.stream().map(ChatMessage::content).collect(Collectors.joining("\n"));
        return new ChatPrompt.Builder().said(all).build();
    }
}
