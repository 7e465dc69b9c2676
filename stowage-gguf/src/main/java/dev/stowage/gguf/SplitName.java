package dev.stowage.gguf;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a part of a split model: {@code prefix-00002-of-00005.gguf} is the second of five.
 *
 * @param number counted from 0, unlike in the name
 */
record SplitName(String prefix, int number, int count) {

    private static final Pattern FORM = Pattern.compile("(.*)-(\\d{5})-of-(\\d{5})\\.gguf");

    /** What the name of a file says, if it is that of a part. */
    static Optional<SplitName> of(Path file) {
        Matcher match = FORM.matcher(String.valueOf(file.getFileName()));
        return match.matches()
                ? Optional.of(new SplitName(
                        match.group(1), Integer.parseInt(match.group(2)) - 1, Integer.parseInt(match.group(3))))
                : Optional.empty();
    }

    /** The file of another part, beside this one. */
    Path sibling(Path file, int other) {
        return file.resolveSibling(String.format(Locale.ROOT, "%s-%05d-of-%05d.gguf", prefix, other + 1, count));
    }
}
