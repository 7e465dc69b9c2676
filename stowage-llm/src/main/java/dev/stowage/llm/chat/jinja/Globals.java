package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Dict;
import dev.stowage.llm.chat.jinja.Value.Function;
import dev.stowage.llm.chat.jinja.Value.Namespace;
import java.time.Clock;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The functions that every template can call. */
final class Globals {

    /** As in the sandbox of Jinja2. */
    private static final long MAX_RANGE = 100_000;

    private Globals() {}

    static Map<String, Value> all(Clock clock) {
        return Map.of(
                "range", new Function("range", Globals::range),
                "namespace", new Function("namespace", Globals::namespace),
                "dict", new Function("dict", Globals::dict),
                "raise_exception", new Function("raise_exception", Globals::raise),
                "strftime_now",
                        new Function(
                                "strftime_now",
                                arguments ->
                                        Dates.format(arguments.text(0, "format").chars(), ZonedDateTime.now(clock))));
    }

    private static Value range(Arguments arguments) {
        boolean single = arguments.size() == 1;
        long start = single ? 0 : arguments.whole(0, "start", 0);
        long stop = single ? arguments.whole(0, "stop", 0) : arguments.whole(1, "stop", 0);
        long step = arguments.whole(2, "step", 1);
        if (step == 0) {
            throw new TemplateError("range() with step 0");
        }
        List<Value> numbers = new ArrayList<>();
        for (long i = start; step > 0 ? i < stop : i > stop; i += step) {
            if (numbers.size() == MAX_RANGE) {
                throw new TemplateError("a range of more than " + MAX_RANGE + " numbers");
            }
            numbers.add(Value.of(i));
        }
        return Value.of(numbers);
    }

    private static Value namespace(Arguments arguments) {
        Namespace namespace = new Namespace();
        for (Value each : arguments.positional()) {
            if (each instanceof Dict dict) {
                dict.entries()
                        .forEach((key, value) ->
                                namespace.attributes().put(Printer.text(key).chars(), value));
            }
        }
        namespace.attributes().putAll(arguments.named());
        return namespace;
    }

    private static Value dict(Arguments arguments) {
        Map<Value, Value> entries = new LinkedHashMap<>();
        for (Value each : arguments.positional()) {
            if (each instanceof Dict dict) {
                entries.putAll(dict.entries());
            }
        }
        arguments.named().forEach((name, value) -> entries.put(Text.of(name), value));
        return new Dict(entries);
    }

    private static Value raise(Arguments arguments) {
        throw new TemplateError("the template refuses this conversation: "
                + Printer.text(arguments.get(0, "message")).chars());
    }
}
