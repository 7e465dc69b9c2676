package dev.stowage.llm;

import dev.stowage.llm.chat.ChatMessage;
import dev.stowage.llm.chat.ChatTemplate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A conversation with a model: the messages so far, in the format that the model was trained with. Only what is new
 * since the last answer is run through the model. For one thread at a time; a call while another thread is inside one
 * is refused, except for {@link #messages()} and {@link #close()}.
 */
public final class Conversation implements AutoCloseable {

    private final LanguageModel model;
    private final ChatTemplate template;
    private final Session session;
    private final ThreadGuard guard = new ThreadGuard("conversation");

    /** Replaced, never changed, so that any thread may ask for them. */
    private volatile List<ChatMessage> messages = List.of();

    /** The tokens that the session has. */
    private int[] tokens = new int[0];

    /**
     * A conversation that has not begun, in a session of its own.
     *
     * @throws dev.stowage.error.AccessException if the model writes no text
     */
    public Conversation(LanguageModel model, ChatTemplate template) {
        this.model = model;
        this.template = template;
        model.requireText();
        this.session = model.newSession();
    }

    /** Says to the model what it is to be and do; before anything else is said. */
    public void instruct(String instruction) {
        guard.enter();
        try {
            say(ChatMessage.system(instruction));
        } finally {
            guard.leave();
        }
    }

    /**
     * Says something and lets the model answer. If that fails, nothing was said.
     *
     * @throws dev.stowage.error.AllocationException if the context has no room for it: begin a new conversation
     */
    public Generation say(String content, GenerationOptions options, TokenListener listener) {
        guard.enter();
        try {
            return answer(content, options, listener);
        } finally {
            guard.leave();
        }
    }

    private Generation answer(String content, GenerationOptions options, TokenListener listener) {
        List<ChatMessage> asked = new ArrayList<>(messages);
        asked.add(ChatMessage.user(content));
        int[] wanted = template.render(asked, true).encode(model.tokenizer());
        int kept = commonStart(wanted);
        session.truncate(0, kept);
        tokens = Arrays.copyOf(wanted, kept);
        int[] fresh = Arrays.copyOfRange(wanted, kept, wanted.length);
        List<Integer> answered = new ArrayList<>();
        Generation answer = new Generator(session, model.tokenizer(), 0, options, (token, text) -> {
                    answered.add(token);
                    listener.token(token, text);
                })
                .generate(tokens, fresh);
        tokens = Arrays.copyOf(wanted, session.length(0));
        for (int i = wanted.length; i < tokens.length; i++) {
            tokens[i] = answered.get(i - wanted.length);
        }
        say(ChatMessage.user(content), ChatMessage.assistant(answer.text()));
        return answer;
    }

    private void say(ChatMessage... said) {
        List<ChatMessage> longer = new ArrayList<>(messages);
        longer.addAll(List.of(said));
        messages = List.copyOf(longer);
    }

    /** How much of what the session has can stay; at least one token must be run to have logits. */
    private int commonStart(int[] wanted) {
        int common = Arrays.mismatch(tokens, wanted);
        return Math.min(common < 0 ? wanted.length : common, wanted.length - 1);
    }

    /** What was said so far. */
    public List<ChatMessage> messages() {
        return messages;
    }

    /** Forgets everything. */
    public void clear() {
        guard.enter();
        try {
            session.clear();
            messages = List.of();
            tokens = new int[0];
        } finally {
            guard.leave();
        }
    }

    /** The session it takes place in. */
    public Session session() {
        return session;
    }

    /** Closes the session; any thread may do so, as {@link Session#close()} says. */
    @Override
    public void close() {
        session.close();
    }
}
