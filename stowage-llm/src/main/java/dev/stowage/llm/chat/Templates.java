package dev.stowage.llm.chat;

import dev.stowage.error.MalformedDataException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The built-in templates, and which of them a program in Jinja is equivalent to. */
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

    /** What built-in templates and programs are compared on: with and without a system message, and with blanks. */
    private static final List<List<ChatMessage>> PROBES = List.of(
            List.of(ChatMessage.user("One")),
            List.of(ChatMessage.system(" Two "), ChatMessage.user("Three\n")),
            List.of(ChatMessage.user(" One "), ChatMessage.assistant(" Two\n"), ChatMessage.user("Three")),
            List.of(
                    ChatMessage.system("One"),
                    ChatMessage.user("Two"),
                    ChatMessage.assistant("Three"),
                    ChatMessage.user("Four"),
                    ChatMessage.assistant("Five"),
                    ChatMessage.tool("Six")));

    private Templates() {}

    /** The template of a model, given its program and the texts of its special tokens. */
    static ChatTemplate of(String program, Map<String, String> tokens) {
        Optional<ChatTemplate> known = byMarkers(program);
        if (known.isEmpty()) {
            return ChatTemplate.jinja(program, tokens);
        }
        ChatTemplate run;
        try {
            run = ChatTemplate.jinja(program, tokens);
        } catch (MalformedDataException _) {
            return known.get();
        }
        boolean same = run.toolFormat().isEmpty() && isEquivalent(known.get(), run);
        return same ? known.get() : run;
    }

    /** Whether both give the same prompts for all probes that the program does not refuse. */
    private static boolean isEquivalent(ChatTemplate known, ChatTemplate run) {
        for (List<ChatMessage> probe : PROBES) {
            for (boolean answer : new boolean[] {true, false}) {
                try {
                    if (!run.render(probe, answer).isSameAs(known.render(probe, answer))) {
                        return false;
                    }
                } catch (MalformedDataException _) {
                    // A program may refuse a conversation; the built-in template then gives more than it does.
                }
            }
        }
        return true;
    }

    static Optional<ChatTemplate> byMarkers(String jinja) {
        if (jinja.contains("<|im_start|>")) {
            // Two formats share the first control token and differ in the others.
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
