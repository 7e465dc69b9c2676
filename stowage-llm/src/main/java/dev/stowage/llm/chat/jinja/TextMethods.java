package dev.stowage.llm.chat.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;

/** The methods of strings. */
final class TextMethods {

    static final Set<String> NAMES = Set.of(
            "strip",
            "lstrip",
            "rstrip",
            "split",
            "rsplit",
            "splitlines",
            "startswith",
            "endswith",
            "upper",
            "lower",
            "title",
            "capitalize",
            "replace",
            "find",
            "rfind",
            "index",
            "count",
            "join",
            "removeprefix",
            "removesuffix",
            "isdigit",
            "isalpha",
            "isalnum",
            "isspace",
            "isupper",
            "islower",
            "format",
            "partition",
            "rpartition",
            "center",
            "ljust",
            "rjust",
            "zfill");

    private TextMethods() {}

    static Value call(Text text, String name, Arguments arguments) {
        return switch (name) {
            case "strip" -> text.strip(stripped(arguments), true, true);
            case "lstrip" -> text.strip(stripped(arguments), true, false);
            case "rstrip" -> text.strip(stripped(arguments), false, true);
            case "split" -> split(text, arguments, false);
            case "rsplit" -> split(text, arguments, true);
            case "splitlines" -> Value.of(lines(text, arguments.bool(0, "keepends", false)));
            case "startswith" -> Value.of(affixes(arguments).stream().anyMatch(text.chars()::startsWith));
            case "endswith" -> Value.of(affixes(arguments).stream().anyMatch(text.chars()::endsWith));
            case "upper" -> text.upper();
            case "lower" -> text.lower();
            case "title" -> text.capitalized(true, "");
            case "capitalize" -> text.capitalized(false, "");
            case "replace" ->
                text.replace(arguments.text(0, "old"), arguments.text(1, "new"), arguments.whole(2, "count", -1));
            case "find" ->
                Value.of(point(
                        text, text.chars().indexOf(arguments.text(0, "sub").chars())));
            case "rfind" ->
                Value.of(point(
                        text, text.chars().lastIndexOf(arguments.text(0, "sub").chars())));
            case "index" -> Value.of(index(text, arguments.text(0, "sub")));
            case "count" -> Value.of(split(text, arguments.text(0, "sub"), -1).size() - 1L);
            case "join" -> SequenceFilters.join(arguments.get(0, "iterable"), text);
            case "removeprefix" -> removePrefix(text, arguments.text(0, "prefix"));
            case "removesuffix" -> removeSuffix(text, arguments.text(0, "suffix"));
            case "isdigit" -> all(text, Character::isDigit);
            case "isalpha" -> all(text, Character::isLetter);
            case "isalnum" -> all(text, Character::isLetterOrDigit);
            case "isspace" -> all(text, c -> Text.isBlank((char) c));
            case "isupper" -> Value.of(!text.equals(text.lower()) && text.equals(text.upper()));
            case "islower" -> Value.of(!text.equals(text.upper()) && text.equals(text.lower()));
            case "format" -> Formats.format(text, arguments);
            case "partition" -> parts(text, arguments.text(0, "sep"), false);
            case "rpartition" -> parts(text, arguments.text(0, "sep"), true);
            case "center", "ljust", "rjust", "zfill" -> padded(text, name, arguments);
            default -> throw new TemplateError("str has no method '" + name + "'");
        };
    }

    private static String stripped(Arguments arguments) {
        return arguments.text(0, "chars", Text.EMPTY).chars();
    }

    private static List<String> affixes(Arguments arguments) {
        Value affix = arguments.get(0, "prefix");
        return affix instanceof Value.Sequence sequence
                ? sequence.items().stream()
                        .map(each -> Printer.text(each).chars())
                        .toList()
                : List.of(arguments.text(0, "prefix").chars());
    }

    private static Value all(Text text, IntPredicate kind) {
        return Value.of(!text.chars().isEmpty() && text.chars().codePoints().allMatch(kind));
    }

    private static long point(Text text, int at) {
        return at < 0 ? -1 : text.chars().codePointCount(0, at);
    }

    private static long index(Text text, Text searched) {
        long at = point(text, text.chars().indexOf(searched.chars()));
        if (at < 0) {
            throw new TemplateError("index(): the substring is not found");
        }
        return at;
    }

    private static Text removePrefix(Text text, Text prefix) {
        boolean has = text.chars().startsWith(prefix.chars());
        return has ? text.slice(prefix.chars().length(), text.chars().length()) : text;
    }

    private static Text removeSuffix(Text text, Text suffix) {
        boolean has = text.chars().endsWith(suffix.chars());
        return has ? text.slice(0, text.chars().length() - suffix.chars().length()) : text;
    }

    /** What is before a separator, the separator, and what is after it. */
    private static Value parts(Text text, Text separator, boolean last) {
        String searched = separator.chars();
        if (searched.isEmpty()) {
            throw new TemplateError("partition() with an empty separator");
        }
        int at = last ? text.chars().lastIndexOf(searched) : text.chars().indexOf(searched);
        List<Value> parts = at < 0
                ? (last ? List.of(Text.EMPTY, Text.EMPTY, text) : List.of(text, Text.EMPTY, Text.EMPTY))
                : List.of(
                        text.slice(0, at),
                        text.slice(at, at + searched.length()),
                        text.slice(at + searched.length(), text.chars().length()));
        return new Value.Sequence(parts, true);
    }

    private static Text padded(Text text, String method, Arguments arguments) {
        int width = Math.clamp(arguments.whole(0, "width", 0), 0, Integer.MAX_VALUE);
        String fill = arguments.text(1, "fillchar", Text.of(" ")).chars();
        return switch (method) {
            case "center" -> {
                int missing = width - text.points();
                // Where the sides differ by one, the width decides which is longer.
                int left = missing / 2 + (missing & width & 1);
                Text start =
                        FormatSpec.padding(fill, ">", width - missing + left).write(text);
                yield missing <= 0 ? text : FormatSpec.padding(fill, "<", width).write(start);
            }
            case "ljust" -> FormatSpec.padding(fill, "<", width).write(text);
            case "rjust" -> FormatSpec.padding(fill, ">", width).write(text);
            default -> {
                boolean signed = text.chars().startsWith("-") || text.chars().startsWith("+");
                Text sign = text.slice(0, signed ? 1 : 0);
                Text rest = text.slice(signed ? 1 : 0, text.chars().length());
                yield sign.concat(FormatSpec.padding("0", ">", Math.max(0, width - (signed ? 1 : 0)))
                        .write(rest));
            }
        };
    }

    private static Value split(Text text, Arguments arguments, boolean fromEnd) {
        long most = arguments.whole(1, "maxsplit", -1);
        boolean blanks = arguments.find(0, "sep").orElse(Value.None.INSTANCE) == Value.None.INSTANCE;
        if (blanks) {
            return Value.of(words(text, most, fromEnd));
        }
        Text separator = arguments.text(0, "sep");
        if (separator.chars().isEmpty()) {
            throw new TemplateError("split() with an empty separator");
        }
        return Value.of(fromEnd ? splitFromEnd(text, separator, most) : split(text, separator, most));
    }

    private static List<Text> split(Text text, Text separator, long most) {
        List<Text> parts = new ArrayList<>();
        int from = 0;
        int at = separator.chars().isEmpty() ? -1 : text.chars().indexOf(separator.chars());
        while (at >= 0 && (most < 0 || parts.size() < most)) {
            parts.add(text.slice(from, at));
            from = at + separator.chars().length();
            at = text.chars().indexOf(separator.chars(), from);
        }
        parts.add(text.slice(from, text.chars().length()));
        return parts;
    }

    private static List<Text> splitFromEnd(Text text, Text separator, long most) {
        List<Text> parts = new ArrayList<>();
        int to = text.chars().length();
        int length = separator.chars().length();
        int at = text.chars().lastIndexOf(separator.chars());
        while (at >= 0 && (most < 0 || parts.size() < most)) {
            parts.add(text.slice(at + length, to));
            to = at;
            at = at < length ? -1 : text.chars().lastIndexOf(separator.chars(), at - length);
        }
        parts.add(text.slice(0, to));
        Collections.reverse(parts);
        return parts;
    }

    /** The parts between runs of white space. */
    private static List<Text> words(Text text, long most, boolean fromEnd) {
        List<Text> words = new ArrayList<>();
        Text rest = text.strip("", true, true);
        while (!rest.chars().isEmpty()) {
            int end = words.size() == most ? -1 : blank(rest.chars(), fromEnd);
            int length = rest.chars().length();
            if (end < 0) {
                words.add(rest);
                break;
            }
            words.add(fromEnd ? rest.slice(end + 1, length) : rest.slice(0, end));
            rest = fromEnd
                    ? rest.slice(0, end).strip("", false, true)
                    : rest.slice(end, length).strip("", true, false);
        }
        if (fromEnd) {
            Collections.reverse(words);
        }
        return words;
    }

    private static int blank(String chars, boolean last) {
        int found = -1;
        for (int i = 0; i < chars.length() && (last || found < 0); i++) {
            if (Text.isBlank(chars.charAt(i))) {
                found = i;
            }
        }
        return found;
    }

    static List<Text> lines(Text text, boolean withEnds) {
        List<Text> lines = new ArrayList<>();
        String chars = text.chars();
        int from = 0;
        while (from < chars.length()) {
            int end = from;
            while (end < chars.length()
                    && "\n\r\u000b\f\u001c\u001d\u001e\u0085\u2028\u2029".indexOf(chars.charAt(end)) < 0) {
                end++;
            }
            int next = chars.startsWith("\r\n", end) ? end + 2 : Math.min(end + 1, chars.length());
            lines.add(text.slice(from, withEnds ? next : end));
            from = next;
        }
        return lines;
    }
}
