package dev.stowage.bench.llm;

import dev.stowage.llm.grammar.Grammar;
import dev.stowage.llm.sampling.TokenConstraint;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Measures what a grammar costs per token, without a model: {@code [-v 32000,128000] [-t 200]}. For each vocabulary and grammar,
 * texts of random tokens are made; printed are how long the grammar took to compile, and the microseconds per token to mask the
 * logits and to take the chosen token: the median and the mean of the first texts, when nothing is remembered yet, and of later
 * ones.
 */
public final class GrammarCost {

    private static final double NANOS_PER_MICRO = 1e3;
    private static final int LONGEST = 400;

    private GrammarCost() {}

    private static Map<String, String> schemas() {
        Map<String, String> schemas = new LinkedHashMap<>();
        schemas.put("any JSON", "{\"type\": \"object\"}");
        schemas.put("a record", """
                {"type": "object", "properties": {
                   "name": {"type": "string"}, "kind": {"enum": ["noun", "verb", "adjective"]},
                   "count": {"type": "integer", "minimum": 1, "maximum": 999},
                   "examples": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 8},
                   "origin": {"type": "object", "properties": {"language": {"type": "string"}, "year": {"type": "integer"}},
                              "required": ["language", "year"]}},
                 "required": ["name", "kind", "count", "examples", "origin"]}
                """);
        schemas.put("maxLength 2000", "{\"type\": \"string\", \"minLength\": 1900, \"maxLength\": 2000}");
        schemas.put("a pattern", "{\"type\": \"string\", \"pattern\": \"^([A-Z][a-z]{2,12} ){3,40}end$\"}");
        return schemas;
    }

    /** Measures and prints a line for each vocabulary and grammar. */
    public static void main(String... arguments) {
        List<String> options = Arrays.asList(arguments);
        String sizes = option(options, "-v", "32000,128000");
        int texts = Integer.parseInt(option(options, "-t", "200"));
        for (String size : sizes.split(",", -1)) {
            Tokenizer tokenizer = GrammarVocabulary.ofSize(Integer.parseInt(size));
            long start = System.nanoTime();
            String trie = tokenizer.trie().toString();
            System.out.printf(Locale.ROOT, "%s, made in %.0f ms%n", trie, (System.nanoTime() - start) / 1e6);
            schemas().forEach((name, schema) -> new Run(tokenizer, texts).print(name, schema));
        }
    }

    private static String option(List<String> arguments, String name, String otherwise) {
        int at = arguments.indexOf(name);
        return at < 0 ? otherwise : arguments.get(at + 1);
    }

    /** One grammar with one vocabulary. */
    private static final class Run {

        private final Tokenizer tokenizer;
        private final int texts;
        private final float[] logits;
        private final Random random = new Random(1);

        Run(Tokenizer tokenizer, int texts) {
            this.tokenizer = tokenizer;
            this.texts = texts;
            this.logits = new float[tokenizer.vocabulary().size()];
        }

        void print(String name, String schema) {
            List<Long> first = new ArrayList<>();
            List<Long> later = new ArrayList<>();
            // The first grammars are for the compiler of the JVM.
            for (int i = 0; i < 3; i++) {
                text(Grammar.jsonSchema(schema), new ArrayList<>());
            }
            long start = System.nanoTime();
            Grammar grammar = Grammar.jsonSchema(schema);
            double compiled = (System.nanoTime() - start) / 1e6;
            for (int i = 0; i < texts; i++) {
                text(grammar, i < Math.max(1, texts / 20) ? first : later);
            }
            System.out.printf(
                    Locale.ROOT,
                    "%7d tokens, %-15s compiled in %6.1f ms; µs per token: first texts median %8.1f mean %8.1f max %8.1f,"
                            + " later median %6.1f mean %6.1f max %8.1f (%d tokens)%n",
                    logits.length,
                    name,
                    compiled,
                    median(first),
                    mean(first),
                    max(first),
                    median(later),
                    mean(later),
                    max(later),
                    later.size());
        }

        private void text(Grammar grammar, List<Long> nanos) {
            TokenConstraint constraint = grammar.constraint(tokenizer);
            for (int i = 0; i < LONGEST && !constraint.mustEnd(); i++) {
                Arrays.fill(logits, 0);
                long start = System.nanoTime();
                constraint.mask(logits);
                long masked = System.nanoTime();
                int token = choose();
                if (tokenizer.vocabulary().isEnd(token)) {
                    return;
                }
                long chosen = System.nanoTime();
                constraint.accept(token);
                nanos.add(masked - start + System.nanoTime() - chosen);
            }
        }

        /** A token that may come next, from a random one on. */
        private int choose() {
            int at = random.nextInt(logits.length);
            while (logits[at] != 0) {
                at = (at + 1) % logits.length;
            }
            return at;
        }

        private static double median(List<Long> nanos) {
            List<Long> sorted = nanos.stream().sorted().toList();
            return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2) / NANOS_PER_MICRO;
        }

        private static double mean(List<Long> nanos) {
            return nanos.stream().mapToLong(Long::longValue).average().orElse(0) / NANOS_PER_MICRO;
        }

        private static double max(List<Long> nanos) {
            return nanos.stream().mapToLong(Long::longValue).max().orElse(0) / NANOS_PER_MICRO;
        }
    }
}
