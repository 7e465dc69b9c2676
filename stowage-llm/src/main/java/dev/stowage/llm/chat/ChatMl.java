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
