package dev.stowage.llm.chat;

import java.util.List;

/** ChatML, which Qwen, SmolLM and many others use: every turn between two marks, with the name of who speaks. */
enum ChatMl implements ChatTemplate {
    INSTANCE;

    private static final String START = "<|im_start|>";

    @Override
    public String label() {
        return "chatml";
    }

    @Override
    public String render(List<ChatMessage> messages, boolean answer) {
        StringBuilder text = new StringBuilder();
        for (ChatMessage message : messages) {
            text.append(START).append(message.role().label()).append('\n');
            text.append(message.content()).append("<|im_end|>\n");
        }
        return answer ? text + START + "assistant\n" : text.toString();
    }
}
