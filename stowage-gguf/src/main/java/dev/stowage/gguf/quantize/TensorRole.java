package dev.stowage.gguf.quantize;

/** What a tensor is for, as far as that decides how well it must be quantised; recognised by its name. */
enum TensorRole {
    OUTPUT,
    TOKEN_EMBEDDING,
    ATTENTION_QUERY,
    ATTENTION_KEY,
    /** Values, or values together with keys or with everything: the most sensitive of a layer. */
    ATTENTION_VALUE,
    ATTENTION_OUTPUT,
    FEED_FORWARD_DOWN,
    OTHER;

    static TensorRole of(String name) {
        return switch (name) {
            case "output.weight" -> OUTPUT;
            case "token_embd.weight", "per_layer_token_embd.weight" -> TOKEN_EMBEDDING;
            default -> ofLayer(name);
        };
    }

    private static TensorRole ofLayer(String name) {
        if (name.contains("attn_qkv.weight") || name.contains("attn_kv_b.weight") || name.contains("attn_v.weight")) {
            return ATTENTION_VALUE;
        }
        if (name.contains("attn_k.weight")) {
            return ATTENTION_KEY;
        }
        if (name.contains("attn_q.weight")) {
            return ATTENTION_QUERY;
        }
        if (name.contains("attn_output.weight")) {
            return ATTENTION_OUTPUT;
        }
        // A name with two of these is what it says first: up and gate are recognised before down.
        boolean upOrGate = name.contains("ffn_up") || name.contains("ffn_gate");
        return !upOrGate && name.contains("ffn_down") ? FEED_FORWARD_DOWN : OTHER;
    }
}
