package dev.stowage.llm.grammar;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Names of properties other than some that are known, without escapes: else a known name could be written in another way. */
final class SchemaKeys {

    private static final CodePoints PLAIN = JsonCharacters.PLAIN;
    private static final Expression ANYTHING = Expression.many(new Expression.Chars(PLAIN));

    private SchemaKeys() {}

    static Expression except(Collection<String> names) {
        return Expression.sequence(Expression.text("\""), other(new TreeSet<>(names)), Expression.text("\""));
    }

    /** Texts that are none of these. */
    private static Expression other(SortedSet<String> names) {
        TreeMap<Integer, SortedSet<String>> byFirst = new TreeMap<>();
        for (String name : names) {
            if (!name.isEmpty()) {
                int c = name.codePointAt(0);
                byFirst.computeIfAbsent(c, _ -> new TreeSet<>()).add(name.substring(Character.charCount(c)));
            }
        }
        List<Expression> all = new ArrayList<>();
        if (!names.contains("")) {
            all.add(Expression.empty());
        }
        CodePoints begins = CodePoints.of(
                byFirst.keySet().stream().map(c -> new CodePoints.Range(c, c)).toList());
        all.add(Expression.sequence(new Expression.Chars(PLAIN.minus(begins)), ANYTHING));
        byFirst.forEach((c, rest) -> {
            if (PLAIN.contains(c)) {
                all.add(Expression.sequence(new Expression.Chars(CodePoints.of(c)), other(rest)));
            }
        });
        return new Expression.Choice(all);
    }
}
