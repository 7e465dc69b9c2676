package dev.stowage.llm.chat.jinja;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The variables of a block; those of the blocks around it are seen, and hidden by a variable of the same name. */
final class Scope {

    private final @Nullable Scope outer;
    private final Map<String, Value> variables = new HashMap<>();

    Scope(Map<String, Value> variables) {
        this.outer = null;
        this.variables.putAll(variables);
    }

    private Scope(Scope outer) {
        this.outer = outer;
    }

    /** A scope inside this one. */
    Scope inner() {
        return new Scope(this);
    }

    Value get(String name) {
        for (Scope scope = this; scope != null; scope = scope.outer) {
            Value value = scope.variables.get(name);
            if (value != null) {
                return value;
            }
        }
        return new Value.Undefined(name);
    }

    void set(String name, Value value) {
        variables.put(name, value);
    }
}
