package dev.stowage.llm.chat.jinja;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A value that a template computes with; the types are those of Python. All are immutable but {@link Namespace}, which
 * templates use to carry something out of a loop.
 */
public sealed interface Value {

    /**
     * What it costs to go through the value once, in steps; texts count a step per 64 characters. Lists know theirs, so
     * that a list that contains another many times is as expensive as it is to print.
     */
    default long weight() {
        return 1;
    }

    /** The name of the type in Python, for messages. */
    String type();

    /** A text of the template itself, in which control tokens count as such. */
    static Text of(String text) {
        return Text.of(text);
    }

    /** A truth value. */
    static Value of(boolean value) {
        return value ? Bool.TRUE : Bool.FALSE;
    }

    /** An integer. */
    static Value of(long value) {
        return new Int(value);
    }

    /** A list. */
    static Value of(List<? extends Value> items) {
        return new Sequence(items, false);
    }

    /** A dictionary in the order of the map. */
    static Value of(Map<String, ? extends Value> entries) {
        Map<Value, Value> converted = new LinkedHashMap<>();
        entries.forEach((key, value) -> converted.put(Text.of(key), value));
        return new Dict(converted);
    }

    /** A dictionary whose keys may be texts of messages. */
    static Value ofEntries(Map<Text, ? extends Value> entries) {
        return new Dict(new LinkedHashMap<>(entries));
    }

    /** {@code none}. */
    enum None implements Value {
        INSTANCE;

        @Override
        public String type() {
            return "None";
        }
    }

    /** The value of a variable, an attribute or an index that does not exist. */
    record Undefined(String name) implements Value {
        @Override
        public String type() {
            return "undefined";
        }

        TemplateError error() {
            return new TemplateError("'" + name + "' is undefined");
        }
    }

    /** {@code true} or {@code false}. */
    enum Bool implements Value {
        FALSE,
        TRUE;

        @Override
        public String type() {
            return "bool";
        }

        /** What it counts as in arithmetic. */
        long number() {
            return this == TRUE ? 1 : 0;
        }
    }

    /** An integer of 64 bits; results that need more are errors. */
    record Int(long value) implements Value {
        @Override
        public String type() {
            return "int";
        }
    }

    /** A floating-point number. */
    record Real(double value) implements Value {
        @Override
        public String type() {
            return "float";
        }
    }

    /** Text; see {@link dev.stowage.llm.chat.jinja.Text}. */
    sealed interface Characters extends Value permits Text {}

    /** A list or a tuple. */
    record Sequence(List<Value> items, boolean tuple, long weight) implements Value {

        Sequence(List<? extends Value> items, boolean tuple) {
            this(List.copyOf(items), tuple, weightOf(items));
        }

        @Override
        public String type() {
            return tuple ? "tuple" : "list";
        }
    }

    /** A dictionary in the order of insertion. */
    record Dict(Map<Value, Value> entries, long weight) implements Value {

        Dict(Map<Value, Value> entries) {
            this(entries, weightOf(entries.keySet()) + weightOf(entries.values()));
        }

        @Override
        public String type() {
            return "dict";
        }
    }

    /** What {@code namespace()} gives: attributes that can be set from anywhere. */
    record Namespace(Map<String, Value> attributes) implements Value {

        Namespace() {
            this(new HashMap<>());
        }

        @Override
        public String type() {
            return "Namespace";
        }

        // A namespace may contain itself: it is equal to itself only, and never looked into.
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** The variable {@code loop}. */
    non-sealed interface Loop extends Value {
        @Override
        default String type() {
            return "loop";
        }

        /** An attribute, undefined if there is none of that name. */
        Value attribute(String name);
    }

    /** Something that can be called: a method with its object, a macro, a global function. */
    record Function(String name, Body body) implements Value {
        @Override
        public String type() {
            return "function";
        }
    }

    /** The code of a function. */
    @FunctionalInterface
    interface Body {
        Value call(Arguments arguments);
    }

    private static long weightOf(Collection<? extends Value> values) {
        long weight = 1;
        for (Value each : values) {
            weight += each.weight();
        }
        if (weight > RenderLimits.MAX_WEIGHT) {
            throw new TemplateError("a list of more than " + RenderLimits.MAX_WEIGHT + " values");
        }
        return weight;
    }
}
