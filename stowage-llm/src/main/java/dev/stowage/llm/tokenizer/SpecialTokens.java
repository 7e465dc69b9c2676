package dev.stowage.llm.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds special tokens in text. Where several could be meant, the longest wins wherever it begins, then the one with
 * the lowest id, then the leftmost. All of them are looked for in one pass, with a tree of their characters.
 */
final class SpecialTokens {

    private static final Comparator<Match> ORDER = Comparator.comparingInt(Match::bytes)
            .reversed()
            .thenComparingInt(Match::id)
            .thenComparingInt(Match::start);

    private final Node root = new Node();
    private final BitSet hidden = new BitSet();

    SpecialTokens(Vocabulary vocabulary) {
        for (int id = 0; id < vocabulary.size(); id++) {
            TokenType type = vocabulary.type(id);
            if (type.isHidden() || type == TokenType.USER_DEFINED) {
                hidden.set(id, type.isHidden());
                add(vocabulary.text(id), id);
            }
        }
    }

    private void add(String text, int id) {
        Node at = root;
        for (int i = 0; i < text.length(); i++) {
            at = at.children.computeIfAbsent(text.charAt(i), _ -> new Node());
        }
        at.id = id;
        at.bytes = text.getBytes(StandardCharsets.UTF_8).length;
    }

    /**
     * The special tokens of a text, from left to right, none over another.
     *
     * @param parse whether control tokens are looked for too, and not only those that are text
     * @param plain the characters that no control token may overlap
     */
    List<Match> find(String text, boolean parse, BitSet plain) {
        List<Match> all = new ArrayList<>();
        for (int start = 0; start < text.length(); start++) {
            Node at = root.children.get(text.charAt(start));
            for (int end = start + 1; at != null; end++) {
                if (at.id >= 0 && (!hidden.get(at.id) || (parse && isFree(plain, start, end)))) {
                    all.add(new Match(at.id, start, end, at.bytes));
                }
                at = end < text.length() ? at.children.get(text.charAt(end)) : null;
            }
        }
        return all.isEmpty() ? all : choose(all);
    }

    private static List<Match> choose(List<Match> all) {
        all.sort(ORDER);
        BitSet taken = new BitSet();
        List<Match> chosen = new ArrayList<>();
        for (Match match : all) {
            if (isFree(taken, match.start(), match.end())) {
                taken.set(match.start(), match.end());
                chosen.add(match);
            }
        }
        chosen.sort(Comparator.comparingInt(Match::start));
        return chosen;
    }

    private static boolean isFree(BitSet taken, int start, int end) {
        int next = taken.nextSetBit(start);
        return next < 0 || next >= end;
    }

    /** A special token in a text, from one index to another. */
    record Match(int id, int start, int end, int bytes) {}

    private static final class Node {

        private final Map<Character, Node> children = new HashMap<>(2);
        private int id = -1;
        private int bytes;
    }
}
