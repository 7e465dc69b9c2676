package dev.stowage.cli;

import dev.stowage.tensor.ElementType;
import java.util.Locale;

/** A language model and how it is run, whether its numbers are known by heart or read from a file. */
sealed interface DecoderRun extends ModelRun permits NamedDecoder, FileDecoder {
    /** How many tokens go through it at once. */
    int tokens();

    /** How many tokens the cache has room for. */
    int context();

    /** For how many of the tokens logits are wanted. */
    int outputs();

    /** Whether attention is one fused op. */
    boolean flash();

    /** The element type of keys and values. */
    ElementType cacheType();

    /** The element type of the weights, or of most of them. */
    ElementType weightType();

    /** How many tokens of context the model was trained with. */
    int trainedContext();

    /** The option that says how large the context is. */
    String contextOption();

    /** The option that says how many tokens go through at once. */
    String tokensOption();

    DecoderRun withTokens(int changed);

    DecoderRun withContext(int changed);

    DecoderRun withFlash(boolean changed);

    DecoderRun withCacheType(ElementType changed);

    @Override
    default String manner() {
        return counted(tokens(), "token") + String.format(Locale.ROOT, ", context %,d, ", context())
                + counted(outputs(), "output") + ", " + (flash() ? "flash" : "plain") + " attention, " + weights()
                + " weights, " + cacheType() + " cache";
    }

    /** What the weights are, in a word or two. */
    default String weights() {
        return weightType().toString();
    }

    private static String counted(int number, String what) {
        return String.format(Locale.ROOT, "%,d %s%s", number, what, number == 1 ? "" : "s");
    }
}
