package dev.stowage.llm.engine;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the first of some strings in a text that comes in pieces. What may be the beginning of one is held back until the
 * text after it decides.
 */
final class StopStrings {

    private final List<String> strings;
    private final StringBuilder held = new StringBuilder();
    private @Nullable String found;

    StopStrings(List<String> strings) {
        this.strings = strings;
    }

    /** Adds a piece; returns the text that can be given out. After a string was found there is none. */
    String next(String piece) {
        if (strings.isEmpty() || found != null) {
            return found == null ? piece : "";
        }
        held.append(piece);
        int start = findFirst();
        int end = found == null ? held.length() - beginning() : start;
        String out = held.substring(0, end);
        held.delete(0, found == null ? end : held.length());
        return out;
    }

    /** What was held back, as no more text comes. */
    String finish() {
        String rest = held.toString();
        held.setLength(0);
        return rest;
    }

    /** The string that was found. */
    Optional<String> found() {
        return Optional.ofNullable(found);
    }

    /** Where the first string starts, and which it is: of several in one place the longest. */
    private int findFirst() {
        int first = -1;
        for (String each : strings) {
            int at = held.indexOf(each);
            boolean isBetter =
                    first < 0 || at < first || (at == first && found != null && each.length() > found.length());
            if (at >= 0 && isBetter) {
                first = at;
                found = each;
            }
        }
        return first;
    }

    /** How many characters at the end may be the beginning of a string. Nothing is copied: there is much to compare. */
    private int beginning() {
        int most = 0;
        for (String each : strings) {
            for (int length = Math.min(each.length() - 1, held.length()); length > most; length--) {
                if (endsWithBeginningOf(each, length)) {
                    most = length;
                }
            }
        }
        return most;
    }

    private boolean endsWithBeginningOf(String string, int length) {
        int start = held.length() - length;
        for (int i = 0; i < length; i++) {
            if (held.charAt(start + i) != string.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
