package dev.stowage.serve.route;

import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.llm.tokenizer.Tokenizer;
import dev.stowage.serve.wire.TextInput;
import java.util.Arrays;

/** Texts of requests as tokens. */
final class Prompts {

    private Prompts() {}

    /** A prompt, in which the names of control tokens are these tokens, as in llama-server: who sends it wrote all of it. */
    static int[] prompt(TextInput input, Tokenizer tokenizer) {
        return switch (input) {
            case TextInput.Tokens(int[] tokens) -> tokens;
            case TextInput.Characters(String text) ->
                withoutSecondBeginning(tokenizer.encode(text, EncodeOptions.CHAT), tokenizer);
        };
    }

    /** What a template made begins with such a token already. */
    private static int[] withoutSecondBeginning(int[] tokens, Tokenizer tokenizer) {
        int bos = tokenizer.vocabulary().bos().orElse(-1);
        boolean twice = tokenizer.addsBos() && tokens.length > 1 && tokens[0] == bos && tokens[1] == bos;
        return twice ? Arrays.copyOfRange(tokens, 1, tokens.length) : tokens;
    }

    /** A text whose vector is wanted. */
    static int[] plain(TextInput input, Tokenizer tokenizer) {
        return switch (input) {
            case TextInput.Tokens(int[] tokens) -> tokens;
            case TextInput.Characters(String text) -> tokenizer.encode(text, EncodeOptions.PROMPT);
        };
    }
}
