package dev.stowage.cuda.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PtxSignaturesTest {

    @Test
    void readsEveryKindOfParameter() {
        assertThat(PtxSignatures.of("""
                .version 8.8
                .target sm_80
                .address_size 64

                .visible .entry probe(
                \t.param .align 8 .b8 probe_param_0[72],
                \t.param .u64 .ptr .align 1 probe_param_1,
                \t.param .u64 probe_param_2,
                \t.param .u32 probe_param_3,
                \t.param .f32 probe_param_4,
                \t.param .align 64 .b8 probe_param_5[128]
                )
                {
                \tret;
                }
                """)).containsExactly("probe VIEW,POINTER,I64,I32,F32,TENSOR_MAP");
    }

    @Test
    void readsEveryKernelInOrderAndNoOtherFunction() {
        assertThat(PtxSignatures.of("""
                .func (.param .b32 func_retval0) helper(.param .b32 helper_param_0)
                { ret; }
                .visible .entry second_f16(.param .s32 second_f16_param_0)
                .maxntid 256, 1, 1
                { ret; }
                .visible .entry first(.param .b64 first_param_0)
                { ret; }
                """)).containsExactly("second_f16 I32", "first I64");
    }

    @Test
    void takesKernelsWithoutParameters() {
        assertThat(PtxSignatures.of(".visible .entry nothing()\n{ ret; }")).containsExactly("nothing ");
    }

    @Test
    void refusesTypesThatLaunchesCannotPass() {
        assertThatThrownBy(() -> PtxSignatures.of(".visible .entry wide(.param .f64 wide_param_0)\n{ ret; }"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kernel wide has a parameter that launches cannot pass")
                .hasMessageContaining(".f64");
    }

    @Test
    void refusesStructsOfUnknownSize() {
        assertThatThrownBy(() -> PtxSignatures.of(".visible .entry odd(.param .align 8 .b8 odd_param_0[24])\n{ ret; }"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a struct of 24 bytes");
    }
}
