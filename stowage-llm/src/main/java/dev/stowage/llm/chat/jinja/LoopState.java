package dev.stowage.llm.chat.jinja;

import java.util.List;

/** Where a loop is, which its body reads as {@code loop}. */
final class LoopState implements Value.Loop {

    private final List<Value> items;
    private int index;
    private List<Value> observed = List.of();

    LoopState(List<Value> items) {
        this.items = items;
    }

    void advance() {
        index++;
    }

    @Override
    public Value attribute(String name) {
        int size = items.size();
        return switch (name) {
            case "index" -> Value.of(index + 1L);
            case "index0" -> Value.of(index);
            case "revindex" -> Value.of((long) size - index);
            case "revindex0" -> Value.of(size - index - 1L);
            case "first" -> Value.of(index == 0);
            case "last" -> Value.of(index == size - 1);
            case "length" -> Value.of(size);
            case "previtem" -> index > 0 ? items.get(index - 1) : new Value.Undefined(name);
            case "nextitem" -> index + 1 < size ? items.get(index + 1) : new Value.Undefined(name);
            case "depth" -> Value.of(1);
            case "depth0" -> Value.of(0);
            case "cycle" -> new Value.Function(name, this::cycle);
            case "changed" -> new Value.Function(name, this::changed);
            default -> new Value.Undefined("loop." + name);
        };
    }

    private Value cycle(Arguments arguments) {
        if (arguments.positional().isEmpty()) {
            throw new TemplateError("loop.cycle() without arguments");
        }
        return arguments.positional().get(index % arguments.positional().size());
    }

    private Value changed(Arguments arguments) {
        boolean changed = !observed.equals(arguments.positional());
        observed = arguments.positional();
        return Value.of(changed);
    }
}
