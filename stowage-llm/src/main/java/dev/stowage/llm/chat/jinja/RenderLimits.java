package dev.stowage.llm.chat.jinja;

/**
 * Limits what a template may use up while it is rendered, so that none can hang or exhaust memory. A conversation of
 * thousands of messages stays far below.
 */
final class RenderLimits {

    /** No list may weigh more. */
    static final long MAX_WEIGHT = 1 << 22;

    /** Expressions may be nested, and macros may call each other, this deep. */
    private static final int MAX_DEPTH = 400;

    private static final long MAX_STEPS = 20_000_000;

    /** How many characters may be produced altogether, results that are dropped later among them. */
    private static final long MAX_CHARACTERS = 1L << 27;

    private long steps;
    private long characters;
    private int depth;

    void steps(long count) {
        steps += count;
        if (steps < 0 || steps > MAX_STEPS) {
            throw new TemplateError("the template needs more than " + MAX_STEPS + " steps");
        }
    }

    /** Accounts for a result: the parts of a list may be old, its places are new. */
    Value produced(Value value) {
        switch (value) {
            case Text text -> written(text);
            case Value.Sequence sequence -> steps(sequence.items().size());
            case Value.Dict dict -> steps(dict.entries().size());
            default -> {}
        }
        return value;
    }

    void written(Text text) {
        steps(text.weight());
        characters += text.chars().length();
        if (characters > MAX_CHARACTERS) {
            throw new TemplateError("the template produces more than " + MAX_CHARACTERS + " characters");
        }
    }

    /** Accounts for work on a value: as much as going through all of it, or as searching all arguments in it. */
    void work(Value target, Arguments arguments) {
        long longest = 0;
        for (Value each : arguments.all()) {
            steps(each.weight());
            longest = Math.max(longest, each instanceof Text text ? text.chars().length() : 0);
        }
        long length = target instanceof Text text ? text.chars().length() : 0;
        steps(target.weight() + length * longest / 64);
    }

    void enter() {
        steps(1);
        if (++depth > MAX_DEPTH) {
            throw new TemplateError("nested more than " + MAX_DEPTH + " levels deep");
        }
    }

    void leave() {
        depth--;
    }
}
