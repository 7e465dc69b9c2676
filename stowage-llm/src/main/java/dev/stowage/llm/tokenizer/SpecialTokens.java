package dev.stowage.llm.tokenizer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * Finds special tokens in text. Where several could be meant, the longest wins wherever it begins, then the one with
 * the lowest id, then the leftmost. All of them are looked for in one pass; of those that end at the same character only
 * the longest that is still possible is kept, so that time and memory are proportional to the text.
 */
final class SpecialTokens {

    /**
     * Tokens of a kind.
     *
     * @param ids by word of the automaton the token
     * @param ranks by word its place among all special tokens: the longest first, then that with the lowest id
     * @param isHidden whether they are control tokens
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Kind(TextAutomaton words, int[] ids, int[] ranks, boolean isHidden) {}

    private static final String SPACES = " \t\n\u000B\f\r";

    private final BitSet eatingSpaces;
    private final Kind written;
    private final Kind hidden;

    /**
     * @param eatingSpaces the tokens that take the spaces after them away
     */
    SpecialTokens(Vocabulary vocabulary, BitSet eatingSpaces) {
        this.eatingSpaces = eatingSpaces;
        List<Integer> ids = new ArrayList<>();
        int[] bytes = new int[vocabulary.size()];
        for (int id = 0; id < vocabulary.size(); id++) {
            if (isSpecial(vocabulary.type(id))) {
                ids.add(id);
                bytes[id] = vocabulary.text(id).getBytes(StandardCharsets.UTF_8).length;
            }
        }
        ids.sort(Comparator.<Integer>comparingInt(id -> -bytes[id]).thenComparingInt(id -> id));
        this.written = kind(vocabulary, ids, false);
        this.hidden = kind(vocabulary, ids, true);
    }

    /** Whether tokens of a type are looked for in text before anything else. */
    static boolean isSpecial(TokenType type) {
        return type.isHidden() || type == TokenType.USER_DEFINED;
    }

    private static Kind kind(Vocabulary vocabulary, List<Integer> ids, boolean isHidden) {
        int[] ranks = new int[ids.size()];
        List<Integer> own = new ArrayList<>();
        for (int rank = 0; rank < ranks.length; rank++) {
            if (vocabulary.type(ids.get(rank)).isHidden() == isHidden) {
                ranks[own.size()] = rank;
                own.add(ids.get(rank));
            }
        }
        TextAutomaton words =
                new TextAutomaton(own.stream().map(vocabulary::text).toList());
        return new Kind(words, own.stream().mapToInt(Integer::intValue).toArray(), ranks, isHidden);
    }

    /**
     * The special tokens of a text, from left to right, none over another.
     *
     * @param parse whether control tokens are looked for too, and not only those that are text
     * @param plain the characters that no control token may overlap
     */
    List<Match> find(String text, boolean parse, BitSet plain) {
        // By rank and end the longest token that may still end there.
        MergeQueue candidates = new MergeQueue();
        collect(written, text, candidates);
        if (parse) {
            collect(hidden, text, candidates);
        }
        BitSet taken = new BitSet();
        List<Match> chosen = new ArrayList<>();
        while (!candidates.isEmpty()) {
            int end = candidates.left();
            int best = candidates.length();
            Kind kind = candidates.result() == 1 ? hidden : written;
            candidates.remove();
            int free = kind.isHidden ? Math.min(free(taken, end), free(plain, end)) : free(taken, end);
            int word = kind.words.atMost(best, free);
            if (word == best) {
                int start = end - kind.words.length(word);
                int id = kind.ids[word];
                int last = eatingSpaces.get(id) ? afterSpaces(text, end, taken) : end;
                taken.set(start, last);
                chosen.add(new Match(id, start, last));
            } else if (word >= 0) {
                add(candidates, kind, word, end);
            }
        }
        chosen.sort(Comparator.comparingInt(Match::start));
        return chosen;
    }

    private static int afterSpaces(String text, int from, BitSet taken) {
        int at = from;
        while (at < text.length() && !taken.get(at) && SPACES.indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }

    private void collect(Kind kind, String text, MergeQueue candidates) {
        int node = 0;
        for (int end = 1; end <= text.length(); end++) {
            node = kind.words.step(node, text.charAt(end - 1));
            int word = kind.words.word(node);
            if (word >= 0) {
                add(candidates, kind, word, end);
            }
        }
    }

    private void add(MergeQueue candidates, Kind kind, int word, int end) {
        candidates.add(kind.ranks[word], end, word, kind.isHidden ? 1 : 0);
    }

    /** How many characters before an end are not in a set. */
    private static int free(BitSet set, int end) {
        return end - 1 - set.previousSetBit(end - 1);
    }

    /** A special token in a text, from one index to another, with the spaces that it takes away. */
    record Match(int id, int start, int end) {}
}
