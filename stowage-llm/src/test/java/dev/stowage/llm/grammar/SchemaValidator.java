package dev.stowage.llm.grammar;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Whether a value conforms to a JSON schema, by what the standard says and nothing else. Schemas are maps and lists. */
final class SchemaValidator {

    private final Object document;

    SchemaValidator(Object document) {
        this.document = document;
    }

    boolean conforms(Object value) {
        return conforms(document, value);
    }

    private boolean conforms(Object schema, Object value) {
        if (schema instanceof Boolean anything) {
            return anything;
        }
        Map<?, ?> keywords = (Map<?, ?>) schema;
        return keywords.entrySet().stream()
                .allMatch(each -> holds((String) each.getKey(), each.getValue(), keywords, value));
    }

    private boolean holds(String keyword, Object says, Map<?, ?> beside, Object value) {
        return switch (keyword) {
            case "$ref" -> conforms(target((String) says), value);
            case "type" ->
                says instanceof List<?> names ? names.stream().anyMatch(name -> isA(value, name)) : isA(value, says);
            case "const" -> equal(says, value);
            case "enum" -> ((List<?>) says).stream().anyMatch(each -> equal(each, value));
            case "anyOf" -> matching(says, value) > 0;
            case "oneOf" -> matching(says, value) == 1;
            case "allOf" -> matching(says, value) == ((List<?>) says).size();
            default ->
                switch (value) {
                    case Json.Members object -> holdsForObject(keyword, says, beside, object.all());
                    case List<?> array -> holdsForArray(keyword, says, beside, array);
                    case String string -> holdsForString(keyword, says, string);
                    case BigDecimal number -> holdsForNumber(keyword, says, number);
                    default -> true;
                };
        };
    }

    private long matching(Object schemas, Object value) {
        return ((List<?>) schemas)
                .stream().filter(each -> conforms(each, value)).count();
    }

    private Object target(String reference) {
        Object at = document;
        for (String step : reference.substring(1).split("/", -1)) {
            at = step.isEmpty() ? at : Objects.requireNonNull(((Map<?, ?>) at).get(step));
        }
        return at;
    }

    private static boolean isA(Object value, Object type) {
        return switch ((String) type) {
            case "object" -> value instanceof Json.Members;
            case "array" -> value instanceof List;
            case "string" -> value instanceof String;
            case "number" -> value instanceof BigDecimal;
            case "integer" ->
                value instanceof BigDecimal number
                        && number.stripTrailingZeros().scale() <= 0;
            case "boolean" -> value instanceof Boolean;
            default -> value.equals(Json.NULL);
        };
    }

    private static boolean equal(Object one, Object other) {
        if (one instanceof Integer whole) {
            return equal(BigDecimal.valueOf(whole), other);
        }
        if (one instanceof BigDecimal number) {
            return other instanceof BigDecimal second && number.compareTo(second) == 0;
        }
        if (one instanceof List<?> list) {
            return other instanceof List<?> second
                    && list.size() == second.size()
                    && java.util.stream.IntStream.range(0, list.size())
                            .allMatch(i -> equal(list.get(i), second.get(i)));
        }
        if (one instanceof Map<?, ?> map) {
            return other instanceof Json.Members second
                    && second.all().size() == map.size()
                    && second.all().stream()
                            .allMatch(each ->
                                    map.containsKey(each.getKey()) && equal(map.get(each.getKey()), each.getValue()));
        }
        return one.equals(other);
    }

    private boolean holdsForObject(
            String keyword, Object says, Map<?, ?> beside, List<Map.Entry<String, Object>> members) {
        Set<String> names = members.stream().map(Map.Entry::getKey).collect(Collectors.toSet());
        Map<?, ?> properties = (Map<?, ?>)
                Optional.<Object>ofNullable(beside.get("properties")).orElse(Map.of());
        return switch (keyword) {
            case "required" -> names.containsAll((List<?>) says);
            case "properties" ->
                members.stream()
                        .allMatch(each -> !properties.containsKey(each.getKey())
                                || conforms(properties.get(each.getKey()), each.getValue()));
            case "additionalProperties" ->
                members.stream()
                        .allMatch(each -> properties.containsKey(each.getKey()) || conforms(says, each.getValue()));
            default -> true;
        };
    }

    private boolean holdsForArray(String keyword, Object says, Map<?, ?> beside, List<?> elements) {
        List<?> prefix =
                (List<?>) Optional.<Object>ofNullable(beside.get("prefixItems")).orElse(List.of());
        return switch (keyword) {
            case "minItems" -> elements.size() >= (Integer) says;
            case "maxItems" -> elements.size() <= (Integer) says;
            case "prefixItems" -> {
                boolean all = true;
                for (int i = 0; i < Math.min(prefix.size(), elements.size()); i++) {
                    all &= conforms(prefix.get(i), elements.get(i));
                }
                yield all;
            }
            case "items" -> elements.stream().skip(prefix.size()).allMatch(each -> conforms(says, each));
            default -> true;
        };
    }

    private static boolean holdsForString(String keyword, Object says, String string) {
        int length = string.codePointCount(0, string.length());
        return switch (keyword) {
            case "minLength" -> length >= (Integer) says;
            case "maxLength" -> length <= (Integer) says;
            case "pattern" -> Pattern.compile((String) says).matcher(string).find();
            default -> true;
        };
    }

    private static boolean holdsForNumber(String keyword, Object says, BigDecimal number) {
        return switch (keyword) {
            case "minimum" -> number.compareTo(decimal(says)) >= 0;
            case "maximum" -> number.compareTo(decimal(says)) <= 0;
            case "exclusiveMinimum" -> number.compareTo(decimal(says)) > 0;
            case "exclusiveMaximum" -> number.compareTo(decimal(says)) < 0;
            default -> true;
        };
    }

    private static BigDecimal decimal(Object number) {
        return number instanceof Integer whole ? BigDecimal.valueOf(whole) : (BigDecimal) number;
    }
}
