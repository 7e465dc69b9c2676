package dev.stowage.llm.tokenizer;

/** Makes tokens of plain text, in which no special tokens are looked for. */
sealed interface Encoder permits BytePairEncoder, SentencePieceEncoder, WordPieceEncoder {

    /**
     * Adds the tokens of a text, which has no halves of surrogate pairs and is at the beginning or between special
     * tokens.
     */
    void encode(String text, TokenList out);

    /** The bytes that a normal token stands for. */
    byte[] bytes(String token);

    /** Whether text is encoded with a blank before it that was not there, which decoding takes away again. */
    boolean addsBlank();
}
