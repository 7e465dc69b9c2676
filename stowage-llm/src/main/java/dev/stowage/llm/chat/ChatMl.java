package dev.stowage.llm.chat;

import java.util.List;

/** ChatML, which Qwen, SmolLM and many others use: every message between two control tokens, with its role. */
enum ChatMl implements ChatTemplate {
    INSTANCE;

    private static final String START = "<|im_start|>";

    @Override
    public String label() {
        return "chatml";
    }

    @Override
    public ChatPrompt render(List<ChatMessage> messages, boolean answer) {
        ChatPrompt.Builder prompt = new ChatPrompt.Builder();
        for (ChatMessage message : messages) {
            prompt.mark(START + message.role().label() + "\n")
                    .said(message.content())
                    .mark("<|im_end|>\n");
        }
        return prompt.mark(answer ? START + "assistant\n" : "").build();
    }
}
