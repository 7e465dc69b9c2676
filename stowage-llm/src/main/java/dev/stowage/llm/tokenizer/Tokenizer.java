package dev.stowage.llm.tokenizer;

import dev.stowage.error.AccessException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.Printable;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Text to tokens and back, as a model was trained with. It is made from the metadata of a GGUF file, gives the tokens
 * that llama.cpp gives, and can be used by any number of threads.
 *
 * <p>Three kinds are known: {@code gpt2}, byte pairs over bytes, {@code llama}, SentencePiece with scores, and {@code bert},
 * WordPiece.
 */
public final class Tokenizer {

    private static final char REPLACEMENT = '\uFFFD';
    private static final BitSet NOTHING = new BitSet();
    private static final Set<String> KEEPING_SPACES = Set.of("<unk>", "<s>", "<|endoftext|>");

    private final Vocabulary vocabulary;
    private final Encoder encoder;
    private final SpecialTokens special;
    private final TokenPieces pieces;
    private final boolean addsBos;
    private final boolean addsEos;
    private volatile @Nullable TokenTrie trie;

    private Tokenizer(Vocabulary vocabulary, Encoder encoder, BitSet eatingSpaces, boolean addsBos, boolean addsEos) {
        this.vocabulary = vocabulary;
        this.encoder = encoder;
        this.special = new SpecialTokens(vocabulary, eatingSpaces);
        this.pieces = TokenPieces.of(vocabulary, encoder);
        this.addsBos = addsBos;
        this.addsEos = addsEos;
    }

    /**
     * The tokenizer of a model.
     *
     * @throws MalformedDataException if the metadata has none, one of a kind that is not known here, or one that
     *     contradicts itself; the message names the key
     */
    public static Tokenizer of(GgufMetadata metadata) {
        String kind = metadata.text(TokenizerKeys.MODEL);
        return switch (kind) {
            case "gpt2" -> bytePairs(metadata);
            case "llama" -> sentencePiece(metadata);
            case "bert" -> wordPieces(metadata);
            default ->
                throw new MalformedDataException("key '" + TokenizerKeys.MODEL + "' is '" + Printable.brief(kind)
                        + "', an unknown kind of tokenizer; known are gpt2, llama and bert");
        };
    }

    private static Tokenizer bytePairs(GgufMetadata metadata) {
        WordSplitter splitter = WordSplitter.named(metadata.text(TokenizerKeys.PRE, "default"));
        // What GPT-2's relatives had before files named them.
        Vocabulary vocabulary = new VocabularyReader(metadata).read(11, 11, -1);
        Encoder encoder = new BytePairEncoder(vocabulary, splitter, MergeTable.read(metadata, vocabulary));
        return finish(metadata, vocabulary, encoder, splitter.addBos());
    }

    private static Tokenizer sentencePiece(GgufMetadata metadata) {
        VocabularyReader reader = new VocabularyReader(metadata);
        Vocabulary vocabulary = reader.read(1, 2, 0);
        boolean addsBlank = metadata.bool(TokenizerKeys.ADD_SPACE_PREFIX, true);
        Encoder encoder = new SentencePieceEncoder(vocabulary, reader.scores(), addsBlank);
        return finish(metadata, vocabulary, encoder, true);
    }

    /** Every text begins and ends with a token of its own, whatever other keys say, as in llama.cpp. */
    private static Tokenizer wordPieces(GgufMetadata metadata) {
        Vocabulary vocabulary = new VocabularyReader(metadata).readWordPieces();
        boolean lowers = metadata.bool(TokenizerKeys.LOWER_CASE, true);
        WordPieceText rules = new WordPieceText(lowers, metadata.bool(TokenizerKeys.STRIP_ACCENTS, lowers));
        require(true, TokenizerKeys.MODEL, vocabulary.bos(), TokenizerKeys.BOS);
        require(true, TokenizerKeys.MODEL, vocabulary.eos(), TokenizerKeys.SEP);
        require(true, TokenizerKeys.MODEL, vocabulary.unknown(), TokenizerKeys.UNKNOWN);
        return new Tokenizer(vocabulary, new WordPieceEncoder(vocabulary, rules), NOTHING, true, true);
    }

    private static Tokenizer finish(GgufMetadata metadata, Vocabulary vocabulary, Encoder encoder, boolean bosByKind) {
        boolean addsBos = metadata.bool(TokenizerKeys.ADD_BOS, bosByKind);
        boolean addsEos = metadata.bool(TokenizerKeys.ADD_EOS, false);
        require(addsBos, TokenizerKeys.ADD_BOS, vocabulary.bos(), TokenizerKeys.BOS);
        require(addsEos, TokenizerKeys.ADD_EOS, vocabulary.eos(), TokenizerKeys.EOS);
        return new Tokenizer(vocabulary, encoder, eatingSpaces(metadata, vocabulary), addsBos, addsEos);
    }

    /**
     * The special tokens that take the spaces after them away. No file says which do; llama.cpp knows Phi 3, whose do but for
     * some, by its name, and so does this.
     */
    private static BitSet eatingSpaces(GgufMetadata metadata, Vocabulary vocabulary) {
        BitSet eating = new BitSet();
        String name = metadata.text("general.name", "").toLowerCase(Locale.ROOT);
        if (name.contains("phi-3") || name.contains("phi3")) {
            for (int id = 0; id < vocabulary.size(); id++) {
                eating.set(
                        id,
                        SpecialTokens.isSpecial(vocabulary.type(id)) && !KEEPING_SPACES.contains(vocabulary.text(id)));
            }
            vocabulary.find("</s>").ifPresent(eating::set);
        }
        return eating;
    }

    private static void require(boolean adds, String flag, OptionalInt id, String key) {
        if (adds && id.isEmpty()) {
            throw new MalformedDataException(
                    "by '" + flag + "' or by its kind every text may get a token added, but key '" + key
                            + "', which would name it, is missing");
        }
    }

    /** The tokens there are. */
    public Vocabulary vocabulary() {
        return vocabulary;
    }

    /** The tokens as a tree of their bytes, which is made when it is first asked for. */
    public TokenTrie trie() {
        TokenTrie known = trie;
        return known == null ? makeTrie() : known;
    }

    private synchronized TokenTrie makeTrie() {
        TokenTrie made = trie;
        if (made == null) {
            made = new TokenTrie(vocabulary, pieces);
            trie = made;
        }
        return made;
    }

    /**
     * The bytes of text that a token stands for, which may be a part of a character; those of a control token are its name.
     *
     * @throws AccessException if there is no such token
     */
    public byte[] bytes(int token) {
        vocabulary.require(token);
        return Arrays.copyOfRange(pieces.bytes(), pieces.start(token), pieces.end(token));
    }

    /** Whether the model wants every text to begin with {@link Vocabulary#bos()}. */
    public boolean addsBos() {
        return addsBos;
    }

    /** Whether the model wants every text to end with {@link Vocabulary#eos()}. */
    public boolean addsEos() {
        return addsEos;
    }

    /** The tokens of a text; half of a surrogate pair counts as U+FFFD. */
    public int[] encode(String text, EncodeOptions options) {
        return encode(text, options, NOTHING);
    }

    /**
     * The tokens of a text that is put together from parts that are to be trusted and parts that are not: over the
     * latter, given as a set of indices of {@code char}s, no control token is read, whatever they say.
     */
    public int[] encode(String text, EncodeOptions options, BitSet plain) {
        TokenList out = new TokenList();
        if (options.addSpecial() && addsBos) {
            vocabulary.bos().ifPresent(out::add);
        }
        String whole = withoutHalves(text);
        int from = 0;
        List<SpecialTokens.Match> matches = special.find(whole, options.parseSpecial(), plain);
        for (SpecialTokens.Match match : matches) {
            encodePlain(whole, from, match.start(), out);
            out.add(match.id());
            from = match.end();
        }
        encodePlain(whole, from, whole.length(), out);
        if (options.addSpecial() && addsEos) {
            vocabulary.eos().ifPresent(out::add);
        }
        return out.toArray();
    }

    private void encodePlain(String text, int from, int to, TokenList out) {
        if (from < to) {
            encoder.encode(text.substring(from, to), out);
        }
    }

    private static String withoutHalves(String text) {
        StringBuilder mended = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!Character.isSurrogate(c)) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
                continue;
            }
            mended = mended == null ? new StringBuilder(text) : mended;
            mended.setCharAt(i, REPLACEMENT);
        }
        return mended == null ? text : mended.toString();
    }

    /**
     * The text of tokens, without control tokens: of what {@link #encode} made of a text, that text again.
     *
     * @throws AccessException if there is no such token
     */
    public String decode(int... tokens) {
        return decode(new TokenStream(vocabulary, pieces, false, encoder.addsBlank()), tokens);
    }

    /**
     * The text that tokens add to a text before them, without control tokens: as {@link #decode}, but a blank at the
     * beginning is one.
     *
     * @throws AccessException if there is no such token
     */
    public String decodeContinuation(int... tokens) {
        return decode(stream(), tokens);
    }

    private static String decode(TokenStream stream, int[] tokens) {
        StringBuilder text = new StringBuilder();
        for (int token : tokens) {
            text.append(stream.next(token));
        }
        return text.append(stream.finish()).toString();
    }

    /** A stream for the text that follows a prompt, without control tokens. */
    public TokenStream stream() {
        return new TokenStream(vocabulary, pieces, false, false);
    }

    /** As {@link #stream()}, with control tokens written out. */
    public TokenStream streamWithSpecial() {
        return new TokenStream(vocabulary, pieces, true, false);
    }
}
