package dev.stowage.llm.grammar;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * A random grammar with recursion and ambiguity, as GBNF and as a tree that is matched by trying everything: slow, and sharing
 * nothing with the automaton.
 */
final class RandomGrammar {

    private static final int[] ALPHABET = {'a', 'b', 'é', 'è', '語', 0x1F600, 0x1F602};

    private interface Node {}

    private record Literal(String text) implements Node {}

    private record OneOf(List<Integer> characters) implements Node {}

    private record All(List<Node> parts) implements Node {}

    private record Any(List<Node> alternatives) implements Node {}

    private record Times(Node body, int least, int most) implements Node {}

    private record Rule(int number) implements Node {}

    private final Random random;
    private final List<Node> rules = new ArrayList<>();

    RandomGrammar(Random random) {
        this.random = random;
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            // The first alternative ends, and others refer to any rule only after a character.
            Node ending = node(2, i + 1, count);
            Node recursive = new All(List.of(character(), new Rule(random.nextInt(count)), node(1, i + 1, count)));
            rules.add(random.nextBoolean() ? ending : new Any(List.of(ending, recursive)));
        }
    }

    private Node node(int depth, int from, int count) {
        return switch (random.nextInt(depth == 0 ? 3 : 7)) {
            case 0 -> new Literal(text(random.nextInt(4)));
            case 1, 2 -> character();
            case 3 -> from < count ? new Rule(from + random.nextInt(count - from)) : character();
            case 4 -> new All(List.of(node(depth - 1, from, count), node(depth - 1, from, count)));
            case 5 -> new Any(List.of(node(depth - 1, from, count), node(depth - 1, from, count)));
            default -> {
                int least = random.nextInt(3);
                int most = random.nextInt(3) == 0 ? -1 : least + random.nextInt(3);
                yield new Times(node(depth - 1, from, count), least, most);
            }
        };
    }

    private Node character() {
        Set<Integer> some = new HashSet<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            some.add(ALPHABET[random.nextInt(ALPHABET.length)]);
        }
        return new OneOf(List.copyOf(some));
    }

    private String text(int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(ALPHABET[random.nextInt(ALPHABET.length)]);
        }
        return text.toString();
    }

    String gbnf() {
        StringBuilder text = new StringBuilder("root ::= r-0\n");
        for (int i = 0; i < rules.size(); i++) {
            text.append("r-")
                    .append(i)
                    .append(" ::= ")
                    .append(write(rules.get(i)))
                    .append('\n');
        }
        return text.toString();
    }

    private static String write(Node node) {
        return switch (node) {
            case Literal(String text) -> '"' + text + '"';
            case OneOf(List<Integer> characters) -> {
                StringBuilder set = new StringBuilder("[");
                characters.forEach(set::appendCodePoint);
                yield set.append(']').toString();
            }
            case All(List<Node> parts) ->
                "(" + String.join(" ", parts.stream().map(RandomGrammar::write).toList()) + ")";
            case Any(List<Node> parts) ->
                "("
                        + String.join(
                                " | ", parts.stream().map(RandomGrammar::write).toList()) + ")";
            case Times(Node body, int least, int most) ->
                "(" + write(body) + "){" + least + "," + (most < 0 ? "" : most) + "}";
            case Rule(int number) -> "r-" + number;
            default -> throw new AssertionError(node);
        };
    }

    /** What a grammar says of the bytes so far. */
    record Answer(boolean mayGoOn, boolean mayEnd) {}

    Answer answer(byte[] text) {
        Matching matching = new Matching(text);
        boolean end = matching.ends(new Rule(0), 0).contains(text.length);
        return new Answer(matching.moreMayFollow || end, end);
    }

    /** Tries every way to match a text, remembering where each node may end from each position. */
    private final class Matching {

        private final byte[] text;
        private final Map<List<Object>, Set<Integer>> known = new HashMap<>();
        private boolean moreMayFollow;

        Matching(byte[] text) {
            this.text = text;
        }

        Set<Integer> ends(Node node, int from) {
            List<Object> key = List.of(System.identityHashCode(node), node, from);
            Set<Integer> before = known.get(key);
            if (before == null) {
                before = compute(node, from);
                known.put(key, before);
            }
            return before;
        }

        private Set<Integer> compute(Node node, int from) {
            Set<Integer> ends = new HashSet<>();
            switch (node) {
                case Literal(String literal) -> literal(literal, from, ends);
                case OneOf(List<Integer> characters) ->
                    characters.forEach(c -> literal(Character.toString(c), from, ends));
                case All(List<Node> parts) -> ends.addAll(sequence(parts, from));
                case Any(List<Node> alternatives) -> alternatives.forEach(each -> ends.addAll(ends(each, from)));
                case Times(Node body, int least, int most) -> times(body, least, most, from, ends);
                case Rule(int number) -> ends.addAll(ends(rules.get(number), from));
                default -> throw new AssertionError(node);
            }
            return ends;
        }

        private void literal(String literal, int from, Set<Integer> ends) {
            byte[] bytes = literal.getBytes(StandardCharsets.UTF_8);
            int length = Math.min(bytes.length, text.length - from);
            if (Arrays.equals(bytes, 0, length, text, from, from + length)) {
                moreMayFollow |= length < bytes.length;
                if (length == bytes.length) {
                    ends.add(from + length);
                }
            }
        }

        private Set<Integer> sequence(List<Node> parts, int from) {
            Set<Integer> at = Set.of(from);
            for (Node part : parts) {
                Set<Integer> after = new HashSet<>();
                at.forEach(position -> after.addAll(ends(part, position)));
                at = after;
            }
            return at;
        }

        private void times(Node body, int least, int most, int from, Set<Integer> ends) {
            Set<Integer> at = Set.of(from);
            // More than one empty repetition for each byte makes no difference.
            int rounds = most < 0 ? least + text.length + 1 : most;
            for (int i = 0; i <= rounds && !at.isEmpty(); i++) {
                if (i >= least) {
                    ends.addAll(at);
                }
                Set<Integer> after = new HashSet<>();
                if (i < rounds) {
                    at.forEach(position -> after.addAll(ends(body, position)));
                }
                at = after;
            }
        }
    }

    /** Pieces of texts in its alphabet, some of them beginning or ending within a character. */
    static List<byte[]> tokens(Random random, int count) {
        List<byte[]> tokens = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = 0; j < 3; j++) {
                text.appendCodePoint(ALPHABET[random.nextInt(ALPHABET.length)]);
            }
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            int from = random.nextInt(Math.min(4, bytes.length));
            tokens.add(Arrays.copyOfRange(bytes, from, from + 1 + random.nextInt(bytes.length - from)));
        }
        return tokens;
    }
}
