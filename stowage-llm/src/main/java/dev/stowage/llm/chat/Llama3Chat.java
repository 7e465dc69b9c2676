package dev.stowage.llm.chat;

import java.util.List;

/** The turns of Llama 3: a header with the role, the message without white space around it, and a control token. */
enum Llama3Chat implements ChatTemplate {
    INSTANCE;

    @Override
    public String label() {
        return "llama3";
    }

    @Override
    public ChatPrompt render(List<ChatMessage> messages, boolean answer) {
        ChatPrompt.Builder prompt = new ChatPrompt.Builder();
        for (ChatMessage message : messages) {
            prompt.mark(header(message.role())).said(message.content().strip()).mark("<|eot_id|>");
        }
        return prompt.mark(answer ? header(ChatMessage.Role.ASSISTANT) : "").build();
    }

    private static String header(ChatMessage.Role role) {
        return "<|start_header_id|>" + role.label() + "<|end_header_id|>\n\n";
    }
}
