package dev.stowage.llm.grammar;

import java.util.Map;
import java.util.Optional;

/** Strings of a JSON schema: by length, by pattern, or by one of the formats of dates and identifiers. */
final class SchemaStrings {

    private static final String DATE = "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])";
    private static final String TIME =
            "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";
    private static final String HEX = "[0-9a-fA-F]";

    private static final Map<String, String> FORMATS = Map.of(
            "date",
            "^" + DATE + "$",
            "time",
            "^" + TIME + "$",
            "date-time",
            "^" + DATE + "T" + TIME + "$",
            "uuid",
            "^" + HEX + "{8}-" + HEX + "{4}-" + HEX + "{4}-" + HEX + "{4}-" + HEX + "{12}$");

    private SchemaStrings() {}

    static Expression of(SchemaNode node) {
        Optional<Integer> least = node.count("minLength");
        Optional<Integer> most = node.count("maxLength");
        Optional<String> pattern = node.text("pattern");
        if (pattern.isPresent()) {
            if (least.isPresent() || most.isPresent()) {
                throw node.error(
                        "pattern",
                        "'pattern' together with 'minLength' or 'maxLength' is not supported: put the"
                                + " length into the pattern");
            }
            return quoted(PatternParser.parse(pattern.get(), problem -> node.error("pattern", problem)));
        }
        if (least.isPresent() || most.isPresent()) {
            int limit = most.orElse(Expression.UNLIMITED);
            if (limit != Expression.UNLIMITED && limit < least.orElse(0)) {
                throw node.error("minLength", "'minLength' is larger than 'maxLength'");
            }
            return quoted(new Expression.Repeat(new Expression.Call(JsonRules.CHARACTER), least.orElse(0), limit));
        }
        return node.text("format")
                .flatMap(format -> Optional.ofNullable(FORMATS.get(format)))
                .map(format -> quoted(PatternParser.parse(format, problem -> node.error("format", problem))))
                .orElse(new Expression.Call(JsonRules.STRING));
    }

    private static Expression quoted(Expression characters) {
        return Expression.sequence(Expression.text("\""), characters, Expression.text("\""));
    }
}
