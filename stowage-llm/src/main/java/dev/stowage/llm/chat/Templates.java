package dev.stowage.llm.chat;

import java.util.List;
import java.util.Optional;

/** All templates, and the marks in a Jinja program by which they are recognised. */
final class Templates {

    static final List<ChatTemplate> ALL = List.of(
            ChatMl.INSTANCE,
            Llama3Chat.INSTANCE,
            InstructChat.LLAMA2,
            InstructChat.LLAMA2_SYSTEM,
            InstructChat.MISTRAL_V1,
            InstructChat.MISTRAL_V3,
            InstructChat.MISTRAL_TEKKEN,
            InstructChat.MISTRAL_V7,
            RawChat.INSTANCE);

    private Templates() {}

    static Optional<ChatTemplate> byMarkers(String jinja) {
        if (jinja.contains("<|im_start|>")) {
            // Two that begin turns in the same way and go on in another.
            boolean another = jinja.contains("<|im_sep|>") || jinja.contains("<end_of_utterance>");
            return another ? Optional.empty() : Optional.of(ChatMl.INSTANCE);
        }
        if (jinja.contains("[INST]")) {
            return Optional.of(instruct(jinja));
        }
        boolean llama3 = jinja.contains("<|start_header_id|>") && jinja.contains("<|end_header_id|>");
        return llama3 ? Optional.of(Llama3Chat.INSTANCE) : Optional.empty();
    }

    private static ChatTemplate instruct(String jinja) {
        if (jinja.contains("[SYSTEM_PROMPT]")) {
            return InstructChat.MISTRAL_V7;
        }
        if (!jinja.contains("' [INST] ' + system_message") && !jinja.contains("[AVAILABLE_TOOLS]")) {
            return jinja.contains("<<SYS>>") ? InstructChat.LLAMA2_SYSTEM : InstructChat.LLAMA2;
        }
        if (jinja.contains(" [INST]")) {
            return InstructChat.MISTRAL_V1;
        }
        return jinja.contains("\"[INST]\"") ? InstructChat.MISTRAL_TEKKEN : InstructChat.MISTRAL_V3;
    }
}
