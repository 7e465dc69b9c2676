package dev.stowage.llm.tokenizer;

/** The keys of the metadata that a tokenizer is made from. */
final class TokenizerKeys {

    static final String MODEL = "tokenizer.ggml.model";
    static final String PRE = "tokenizer.ggml.pre";
    static final String TOKENS = "tokenizer.ggml.tokens";
    static final String SCORES = "tokenizer.ggml.scores";
    static final String TYPES = "tokenizer.ggml.token_type";
    static final String MERGES = "tokenizer.ggml.merges";
    static final String BOS = "tokenizer.ggml.bos_token_id";
    static final String EOS = "tokenizer.ggml.eos_token_id";
    static final String EOT = "tokenizer.ggml.eot_token_id";
    static final String EOM = "tokenizer.ggml.eom_token_id";
    static final String CLS = "tokenizer.ggml.cls_token_id";
    // Misspelled in all files.
    static final String SEP = "tokenizer.ggml.seperator_token_id";
    static final String LOWER_CASE = "tokenizer.ggml.normalizer.lowercase";
    static final String STRIP_ACCENTS = "tokenizer.ggml.normalizer.strip_accents";
    static final String UNKNOWN = "tokenizer.ggml.unknown_token_id";
    static final String ADD_BOS = "tokenizer.ggml.add_bos_token";
    static final String ADD_EOS = "tokenizer.ggml.add_eos_token";
    static final String ADD_SPACE_PREFIX = "tokenizer.ggml.add_space_prefix";

    private TokenizerKeys() {}
}
