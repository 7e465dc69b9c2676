package dev.stowage.gguf.quantize;

import dev.stowage.gguf.GgufTensor;
import java.util.List;

/**
 * Which tensors stay as they are whatever a model is quantised to: vectors, norms, and small matrices that would lose
 * more than they save. The names are those that llama.cpp spares.
 */
final class KeptTensors {

    private static final List<String> KEPT = List.of(
            "_norm.weight",
            "ffn_gate_inp.weight",
            "ffn_gate_tid2eid.weight",
            "altup",
            "laurel",
            "per_layer_model_proj",
            "ssm_conv1d",
            "shortconv.conv.weight",
            "indexer.k_proj.weight",
            "indexer.q_proj.weight",
            "time_mix_first.weight",
            "time_mix_w0.weight",
            "time_mix_w1.weight",
            "time_mix_w2.weight",
            "time_mix_v0.weight",
            "time_mix_v1.weight",
            "time_mix_v2.weight",
            "time_mix_a0.weight",
            "time_mix_a1.weight",
            "time_mix_a2.weight",
            "time_mix_g1.weight",
            "time_mix_g2.weight",
            "time_mix_decay_w1.weight",
            "time_mix_decay_w2.weight",
            "time_mix_lerp_fused.weight",
            "attn_rel_b.weight",
            ".position_embd",
            "sam.pos_embd",
            "sam.neck.",
            "sam.net_",
            ".rel_pos",
            ".patch_embd",
            ".patch_merger",
            "a.rvq.codebook",
            "mm.a.code_embd");

    private KeptTensors() {}

    static boolean keeps(GgufTensor tensor) {
        String name = tensor.name();
        return tensor.shape().rank() < 2
                || !name.endsWith("weight")
                || name.equals("position_embd.weight")
                || name.equals("token_types.weight")
                || KEPT.stream().anyMatch(name::contains);
    }
}
