package dev.stowage.llm.chat;

import java.util.List;

/**
 * The templates of Mistral and Llama 2: messages of the user are between {@code [INST]} and {@code [/INST]}, and the
 * answer follows, up to EOS. The generations differ in white space and in where the system message goes.
 */
enum InstructChat implements ChatTemplate {
    LLAMA2("llama2", "", " ", " ", "", false),
    LLAMA2_SYSTEM("llama2-sys", "", " ", " ", "", false),
    MISTRAL_V1("mistral-v1", " ", " ", " ", " ", false),
    MISTRAL_V3("mistral-v3", "", " ", "", " ", true),
    MISTRAL_TEKKEN("mistral-v3-tekken", "", "", "", "", false),
    MISTRAL_V7("mistral-v7", "", " ", "", " ", false);

    private final String label;
    private final String beforeOpening;
    private final String afterOpening;
    private final String beforeClosing;
    private final String beforeAnswer;
    private final boolean stripsAnswers;

    InstructChat(
            String label,
            String beforeOpening,
            String afterOpening,
            String beforeClosing,
            String beforeAnswer,
            boolean stripsAnswers) {
        this.label = label;
        this.beforeOpening = beforeOpening;
        this.afterOpening = afterOpening;
        this.beforeClosing = beforeClosing;
        this.beforeAnswer = beforeAnswer;
        this.stripsAnswers = stripsAnswers;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public ChatPrompt render(List<ChatMessage> messages, boolean answer) {
        ChatPrompt.Builder prompt = new ChatPrompt.Builder();
        boolean open = false;
        for (ChatMessage message : messages) {
            boolean apart = this == MISTRAL_V7 && message.role() == ChatMessage.Role.SYSTEM;
            if (message.role() != ChatMessage.Role.ASSISTANT && !apart && !open) {
                prompt.mark(beforeOpening + "[INST]" + afterOpening);
            }
            write(prompt, message);
            // A system's message shares the brackets of the user's that comes after it.
            open = message.role() == ChatMessage.Role.SYSTEM && !apart;
        }
        return prompt.build();
    }

    private void write(ChatPrompt.Builder prompt, ChatMessage message) {
        String content = message.content();
        switch (message.role()) {
            case SYSTEM -> writeSystem(prompt, content);
            case USER, TOOL -> prompt.said(content).mark(beforeClosing + "[/INST]");
            case ASSISTANT ->
                prompt.mark(beforeAnswer)
                        .said(stripsAnswers ? content.strip() : content)
                        .mark("</s>");
        }
    }

    private void writeSystem(ChatPrompt.Builder prompt, String content) {
        switch (this) {
            case LLAMA2 -> prompt.said(content).mark("\n");
            case LLAMA2_SYSTEM -> prompt.mark("<<SYS>>\n").said(content).mark("\n<</SYS>>\n\n");
            case MISTRAL_V7 -> prompt.mark("[SYSTEM_PROMPT] ").said(content).mark("[/SYSTEM_PROMPT]");
            case MISTRAL_V1, MISTRAL_V3, MISTRAL_TEKKEN -> prompt.said(content).mark("\n\n");
        }
    }
}
