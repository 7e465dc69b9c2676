package dev.stowage.llm.grammar;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random JSON schemas with all keywords that are supported, and recursion. */
final class RandomSchemas {

    private static final List<String> NAMES =
            List.of("a", "b", "name", "naïve", "na", "\"quoted\"", "id", "values", "x y", "語", "tag");
    private static final List<String> PATTERNS = List.of(
            "^[a-z]{2,4}$",
            "^(foo|bar)+$",
            "^[0-9]{3}",
            "^\\d{4}-\\d{2}$",
            "^[^\"a]*$",
            "^\\w+@\\w+\\.(com|org)$",
            "^y|^x?",
            "^[\\u00e0-\\u00ff ]{1,3}$",
            "^a?b*c+.$",
            "^$");

    private final Random random;
    private final List<String> definitions = new ArrayList<>();

    RandomSchemas(Random random) {
        this.random = random;
    }

    /** A schema with definitions that it and they refer to. */
    Map<String, Object> next() {
        int count = random.nextInt(3);
        for (int i = 0; i < count; i++) {
            definitions.add("d" + i);
        }
        Map<String, Object> root = new LinkedHashMap<>(schema(3));
        Map<String, Object> all = new LinkedHashMap<>();
        for (String name : definitions) {
            // Something finite, and something that may refer to any definition below a property that can be left out.
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("type", "object");
            object.put("properties", Map.of("next", reference(), "leaf", leaf()));
            object.put("required", random.nextBoolean() ? List.of("leaf") : List.of());
            all.put(name, object);
        }
        if (!all.isEmpty()) {
            root.put("$defs", all);
        }
        return root;
    }

    private Map<String, Object> reference() {
        return Map.of("$ref", "#/$defs/" + definitions.get(random.nextInt(definitions.size())));
    }

    private Map<String, Object> schema(int depth) {
        int kind = random.nextInt(depth == 0 ? 6 : 12);
        return switch (kind) {
            case 6, 7, 8 -> object(depth);
            case 9 -> array(depth);
            case 10 -> definitions.isEmpty() ? leaf() : reference();
            case 11 -> combined(depth);
            default -> leaf();
        };
    }

    private Map<String, Object> leaf() {
        return switch (random.nextInt(8)) {
            case 0 -> string();
            case 1 -> number("integer");
            case 2 -> number("number");
            case 3 -> Map.of("enum", List.of("red", 7, "gr\"ün", true, Json.NULL, List.of(1, "x"), Map.of("k", 1)));
            case 4 -> Map.of("const", random.nextBoolean() ? "fixed" : new BigDecimal("-1.5"));
            case 5 -> Map.of("type", random.nextBoolean() ? "boolean" : "null");
            case 6 -> Map.of("type", List.of("string", "null", "integer"));
            default -> string();
        };
    }

    private Map<String, Object> string() {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "string");
        switch (random.nextInt(4)) {
            case 0 -> schema.put("pattern", PATTERNS.get(random.nextInt(PATTERNS.size())));
            case 1 -> {
                int least = random.nextInt(5);
                schema.put("minLength", least);
                schema.put("maxLength", least + random.nextInt(60));
            }
            case 2 ->
                schema.put(
                        "format",
                        List.of("date", "date-time", "uuid", "time", "email").get(random.nextInt(5)));
            default -> {}
        }
        return schema;
    }

    private Map<String, Object> number(String type) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", type);
        BigDecimal low = BigDecimal.valueOf(random.nextInt(4001) - 2000, random.nextInt(4));
        BigDecimal high =
                low.add(BigDecimal.valueOf(2 + random.nextInt(5000), type.equals("number") ? random.nextInt(3) : 0));
        int bounds = random.nextInt(4);
        if ((bounds & 1) != 0) {
            schema.put(random.nextBoolean() ? "minimum" : "exclusiveMinimum", low);
        }
        if ((bounds & 2) != 0) {
            schema.put(random.nextBoolean() ? "maximum" : "exclusiveMaximum", high);
        }
        return schema;
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> schema = new LinkedHashMap<>();
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        int count = random.nextInt(5);
        for (int i = 0; i < count; i++) {
            String name = NAMES.get(random.nextInt(NAMES.size()));
            properties.put(name, schema(depth - 1));
            if (random.nextBoolean() && !required.contains(name)) {
                required.add(name);
            }
        }
        schema.put("type", "object");
        if (count > 0 || random.nextBoolean()) {
            schema.put("properties", properties);
            schema.put("required", required);
        }
        switch (random.nextInt(4)) {
            case 0 -> schema.put("additionalProperties", false);
            case 1 -> schema.put("additionalProperties", random.nextBoolean() ? true : leaf());
            default -> {}
        }
        return schema;
    }

    private Map<String, Object> array(int depth) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "array");
        int prefix = random.nextInt(3);
        List<Object> positions = new ArrayList<>();
        for (int i = 0; i < prefix; i++) {
            positions.add(schema(depth - 1));
        }
        if (prefix > 0) {
            schema.put("prefixItems", positions);
        }
        if (random.nextBoolean()) {
            schema.put("items", schema(depth - 1));
        }
        int least = random.nextInt(4);
        if (random.nextBoolean()) {
            schema.put("minItems", least);
        }
        if (random.nextBoolean()) {
            schema.put("maxItems", least + random.nextInt(4));
        }
        return schema;
    }

    private Map<String, Object> combined(int depth) {
        return switch (random.nextInt(4)) {
            case 0 -> Map.of("anyOf", List.of(schema(depth - 1), schema(depth - 1), leaf()));
            case 1 -> Map.of("oneOf", List.of(tagged("one", depth), tagged("two", depth), Map.of("type", "string")));
            case 2 -> Map.of("allOf", List.of(object(depth)), "description", "one of them");
            default -> {
                Map<String, Object> schema = new LinkedHashMap<>(object(depth));
                schema.remove("additionalProperties");
                schema.put("anyOf", List.of(Map.of("required", List.of("id")), Map.of("title", "anything")));
                yield schema;
            }
        };
    }

    private Map<String, Object> tagged(String tag, int depth) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("tag", Map.of("const", tag));
        properties.put("value", schema(depth - 1));
        return Map.of("type", "object", "properties", properties, "required", List.of("tag"));
    }
}
