package dev.stowage.llm.grammar;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A set of Unicode characters as sorted ranges that do not touch. Halves of surrogate pairs are never in it. */
record CodePoints(List<Range> ranges) {

    static final int LAST = 0x10FFFF;

    static final CodePoints ALL = of(0, LAST);

    /** The characters from one to another, both included. */
    record Range(int first, int last) {}

    CodePoints {
        ranges = List.copyOf(ranges);
    }

    static CodePoints of(int first, int last) {
        return of(List.of(new Range(first, last)));
    }

    static CodePoints of(int character) {
        return of(character, character);
    }

    /** Each character of a text. */
    static CodePoints anyOf(String characters) {
        return of(characters.codePoints().mapToObj(c -> new Range(c, c)).toList());
    }

    /** What is in any of these ranges. */
    static CodePoints of(List<Range> any) {
        List<Range> sorted = new ArrayList<>();
        for (Range range : any) {
            addWithoutSurrogates(range, sorted);
        }
        sorted.sort(Comparator.comparingInt(Range::first));
        List<Range> merged = new ArrayList<>();
        for (Range range : sorted) {
            Range last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && range.first() <= last.last() + 1) {
                merged.set(merged.size() - 1, new Range(last.first(), Math.max(last.last(), range.last())));
            } else {
                merged.add(range);
            }
        }
        return new CodePoints(merged);
    }

    private static void addWithoutSurrogates(Range range, List<Range> out) {
        int before = Math.min(range.last(), Character.MIN_SURROGATE - 1);
        int after = Math.max(range.first(), Character.MAX_SURROGATE + 1);
        if (range.first() <= before) {
            out.add(new Range(range.first(), before));
        }
        if (after <= range.last()) {
            out.add(new Range(after, range.last()));
        }
    }

    CodePoints or(CodePoints other) {
        List<Range> all = new ArrayList<>(ranges);
        all.addAll(other.ranges);
        return of(all);
    }

    /** Every character that is not in it. */
    CodePoints complement() {
        List<Range> gaps = new ArrayList<>();
        int next = 0;
        for (Range range : ranges) {
            if (next < range.first()) {
                gaps.add(new Range(next, range.first() - 1));
            }
            next = range.last() + 1;
        }
        if (next <= LAST) {
            gaps.add(new Range(next, LAST));
        }
        return of(gaps);
    }

    CodePoints and(CodePoints other) {
        return complement().or(other.complement()).complement();
    }

    CodePoints minus(CodePoints other) {
        return and(other.complement());
    }

    boolean contains(int character) {
        return ranges.stream().anyMatch(range -> range.first() <= character && character <= range.last());
    }

    boolean isEmpty() {
        return ranges.isEmpty();
    }
}
