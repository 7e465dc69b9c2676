package dev.stowage.llm.grammar;

import dev.stowage.llm.chat.Tool;
import dev.stowage.llm.chat.ToolFormat;
import dev.stowage.llm.sampling.TokenConstraint;
import dev.stowage.llm.tokenizer.TokenTrie;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a text has to conform to, compiled once: any number of texts and threads use it. It remembers which tokens may come
 * next in the states that texts have been in, for the vocabulary that was used last.
 *
 * {@snippet class="dev.stowage.llm.grammar.GrammarSnippetTest" region="grammar"}
 */
public final class Grammar {

    private final Automaton automaton;
    private final String description;
    private volatile @Nullable TokenMasks masks;

    private Grammar(Automaton automaton, String description) {
        this.automaton = automaton;
        this.description = description;
    }

    /**
     * A grammar in GBNF, as llama.cpp reads it. Texts conform to its rule {@code root}.
     *
     * @throws dev.stowage.error.MalformedDataException if it cannot be parsed, in which case the message names line and column,
     *     or if a rule is missing, begins with itself, or has no finite text, or if it is too large
     */
    public static Grammar gbnf(String text) {
        return of(GbnfParser.parse(text), "the grammar");
    }

    /** Any JSON object. */
    public static Grammar json() {
        RuleSet rules = JsonRules.all();
        rules.add(RuleSet.ROOT, new Expression.Call(JsonRules.OBJECT), "JSON");
        return of(rules, "JSON");
    }

    /**
     * The JSON values that conform to a JSON schema, with their properties in its order.
     *
     * @throws dev.stowage.error.MalformedDataException if it is not JSON, uses something that is not supported, or describes
     *     nothing; the message names the keyword and where it is
     */
    public static Grammar jsonSchema(String schema) {
        return of(SchemaCompiler.compile(schema), "the JSON schema");
    }

    /**
     * Calls of tools as a model writes them: what follows the {@linkplain ToolFormat#opening() opening} of the format.
     *
     * @param several whether there may be more than one call, where the format has a way to write that
     * @throws dev.stowage.error.MalformedDataException if there are no tools, or the parameters of one are not supported
     */
    public static Grammar toolCalls(ToolFormat format, List<Tool> tools, boolean several) {
        return of(ToolRules.of(format, tools, several), "the grammar of the tools");
    }

    private static Grammar of(RuleSet rules, String what) {
        return new Grammar(AutomatonBuilder.build(rules, what), what);
    }

    /** Whether a text conforms to it. */
    public boolean matches(String text) {
        Machine machine = new Machine(automaton);
        ParseState state = machine.start();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            state = machine.next(state, automaton.classOf(b));
            if (state.isDead()) {
                return false;
            }
        }
        return machine.mayEnd(state);
    }

    /** How large it is, in states and edges, of about 20 bytes each. */
    public int size() {
        return automaton.states() + automaton.edges();
    }

    /** This grammar at the beginning of a text of these tokens. Every text needs one of its own. */
    public TokenConstraint constraint(Tokenizer tokenizer) {
        return new GrammarConstraint(masks(tokenizer.trie()), tokenizer);
    }

    private TokenMasks masks(TokenTrie trie) {
        TokenMasks known = masks;
        if (known == null || known.trie() != trie) {
            known = new TokenMasks(automaton, trie);
            masks = known;
        }
        return known;
    }

    @Override
    public String toString() {
        return description + " in " + automaton.states() + " states";
    }
}
