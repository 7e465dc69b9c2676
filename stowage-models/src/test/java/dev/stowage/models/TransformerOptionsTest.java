package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.ElementType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

class TransformerOptionsTest {

    @Test
    void theContextGrowsWithTheTokensOnly() {
        assertThat(TransformerOptions.ofTokens(1).context()).isEqualTo(TransformerOptions.DEFAULT_CONTEXT);
        assertThat(TransformerOptions.ofTokens(5000).context()).isEqualTo(5000);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refusesLessThanOneToken(int tokens) {
        assertThatThrownBy(() -> TransformerOptions.ofTokens(tokens))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("at least 1 token, not " + tokens);
    }

    @Test
    void refusesMoreTokensThanTheContextHasRoomFor() {
        TransformerOptions options = TransformerOptions.ofTokens(512);
        assertThatThrownBy(() -> options.withContext(511))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("a context of 511 has no room for 512 tokens");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 513})
    void refusesOutputsForTokensThatAreNotThere(int outputs) {
        TransformerOptions options = TransformerOptions.ofTokens(512);
        assertThatThrownBy(() -> options.withOutputs(outputs))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("between 1 and the number of tokens, 512, not " + outputs);
    }

    @ParameterizedTest
    @EnumSource(names = {"I8", "I16", "I32", "I64", "F64", "Q8_1", "Q8_K"})
    void refusesTypesWeightsDoNotComeIn(ElementType type) {
        TransformerOptions options = TransformerOptions.defaults();
        assertThatThrownBy(() -> options.withWeightType(type))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("weights cannot be " + type)
                .hasMessageContainingAll("f16", "q4_K");
    }

    @ParameterizedTest
    @EnumSource(
            names = {"F32", "F16", "BF16", "Q8_0", "Q5_1", "Q5_0", "Q4_1", "Q4_0", "IQ4_NL"},
            mode = Mode.EXCLUDE)
    void refusesTypesThatRowsCannotBeWrittenTo(ElementType type) {
        TransformerOptions options = TransformerOptions.defaults().withFlash(true);
        assertThatThrownBy(() -> options.withCacheType(type))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("a cache cannot be " + type)
                .hasMessageContainingAll("f16", "q8_0");
    }

    @Test
    void aQuantisedCacheNeedsFlashAttention() {
        TransformerOptions plain = TransformerOptions.defaults();
        assertThatThrownBy(() -> plain.withCacheType(ElementType.Q8_0))
                .isInstanceOf(InvalidGraphException.class)
                .hasMessageContaining("q8_0 cache needs flash attention");
        assertThat(plain.withFlash(true).withCacheType(ElementType.Q8_0).cacheType())
                .isEqualTo(ElementType.Q8_0);
    }
}
