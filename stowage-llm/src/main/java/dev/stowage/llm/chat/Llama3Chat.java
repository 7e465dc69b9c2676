package dev.stowage.llm.chat;

import java.util.List;

/** The turns of Llama 3: a header with the name of who speaks, the message without spaces around it, and a mark. */
enum Llama3Chat implements ChatTemplate {
    INSTANCE;

    @Override
    public String label() {
        return "llama3";
    }

    @Override
    public String render(List<ChatMessage> messages, boolean answer) {
        StringBuilder text = new StringBuilder();
        for (ChatMessage message : messages) {
            header(text, message.role());
            text.append(message.content().strip()).append("<|eot_id|>");
        }
        if (answer) {
            header(text, ChatMessage.Role.ASSISTANT);
        }
        return text.toString();
    }

    private static void header(StringBuilder text, ChatMessage.Role role) {
        text.append("<|start_header_id|>").append(role.label()).append("<|end_header_id|>\n\n");
    }
}
