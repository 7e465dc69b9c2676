package dev.stowage.llm.tokenizer;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.Printable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * Cuts text into words by the rules that {@code tokenizer.ggml.pre} names: each rule cuts the words that the one before
 * it left.
 *
 * @param rules the rules, in order
 * @param wholeWords whether a word that is a token is taken as it is, without joining pairs
 * @param addBos whether text begins with the token for it where the metadata does not say
 */
record WordSplitter(List<WordRule> rules, boolean wholeWords, boolean addBos) {

    private static final WordRule GPT2 = new Gpt2Rule();
    private static final WordRule EACH_NUMBER = new IsolatedRule(CharacterClass::isNumber, 1, 1);
    private static final WordRule THREE_DIGITS = new IsolatedRule(c -> c >= '0' && c <= '9', 3, 3);

    private static final Map<String, WordSplitter> BY_NAME = byName();

    private static Map<String, WordSplitter> byName() {
        Map<String, WordSplitter> all = new TreeMap<>();
        // Where no pattern is named: close to Falcon's, which is what files had that were written before names came up.
        add(
                all,
                plain(
                        punctuation("$+<=>^~|"),
                        GPT2,
                        new IsolatedRule(CharacterClass::isNumber, 1, Integer.MAX_VALUE),
                        THREE_DIGITS),
                "default");
        add(all, plain(punctuation("$+<=>^~|`"), GPT2, THREE_DIGITS), "falcon");
        add(
                all,
                plain(GPT2),
                "gpt-2 phi-2 mpt olmo jais trillion granite-docling exaone4 gigachat a.x-4.0 mellum modern-bert "
                        + "jina-es jina-de jina-v2-es jina-v2-de");
        add(all, plain(EACH_NUMBER, GPT2), "smollm starcoder refact command-r codeshell exaone minerva-7b mellum2");
        WordRule llama3 = new Llama3Rule(3);
        add(
                all,
                new WordSplitter(List.of(llama3), true, true),
                "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano");
        add(all, plain(llama3), "dbrx smaug-bpe");
        add(
                all,
                plain(new Llama3Rule(1)),
                "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2");
        add(all, plain(new CasedRule(3, true)), "gpt-4o llama4 kanana2 talkie minimax-m2");
        add(all, new WordSplitter(List.of(new CasedRule(1, false)), true, true), "tekken");
        return all;
    }

    private static void add(Map<String, WordSplitter> all, WordSplitter splitter, String names) {
        for (String name : names.split(" ", -1)) {
            all.put(name, splitter);
        }
    }

    private static WordSplitter plain(WordRule... rules) {
        return new WordSplitter(List.of(rules), false, false);
    }

    private static WordRule punctuation(String more) {
        IntPredicate kind = c -> CharacterClass.isPunctuation(c) || more.indexOf(c) >= 0;
        return new IsolatedRule(kind, 1, Integer.MAX_VALUE);
    }

    /** The splitter of a name. */
    static WordSplitter named(String name) {
        WordSplitter found = BY_NAME.get(name);
        if (found == null) {
            throw new MalformedDataException("key '" + TokenizerKeys.PRE + "' is '" + Printable.brief(name)
                    + "', an unknown pre-tokenizer; known are " + String.join(", ", BY_NAME.keySet()));
        }
        return found;
    }

    /** Where the words of a text end, in order. */
    int[] wordEnds(int[] text) {
        int[] ends = {text.length};
        for (WordRule rule : rules) {
            ends = cut(rule, text, ends);
        }
        return ends;
    }

    private static int[] cut(WordRule rule, int[] text, int[] ends) {
        TokenList finer = new TokenList();
        int from = 0;
        for (int end : ends) {
            while (from < end) {
                from = rule.wordEnd(text, from, end);
                finer.add(from);
            }
        }
        return finer.toArray();
    }
}
