package dev.stowage.llm.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufArray;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufType;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.models.Pass;
import dev.stowage.models.RopeShape;
import dev.stowage.tensor.ElementType;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever the head of a file says, a blueprint is made whose graphs can be built, or it is refused with a short message that names
 * the key or the tensor. No number that a file claims is taken for the length of anything.
 */
class HostileHeadsTest {

    private static final List<String> KEYS = List.of(
            "context_length",
            "embedding_length",
            "block_count",
            "feed_forward_length",
            "attention.head_count",
            "attention.head_count_kv",
            "attention.key_length",
            "attention.value_length",
            "attention.layer_norm_rms_epsilon",
            "attention.causal",
            "attention.scale",
            "attention.sliding_window",
            "attention.sliding_window_pattern",
            "attn_logit_softcapping",
            "final_logit_softcapping",
            "embedding_scale",
            "residual_scale",
            "logit_scale",
            "expert_count",
            "expert_used_count",
            "expert_feed_forward_length",
            "expert_shared_feed_forward_length",
            "expert_weights_scale",
            "rope.dimension_count",
            "rope.freq_base",
            "rope.freq_base_swa",
            "rope.scale_linear",
            "rope.scaling.type",
            "rope.scaling.factor",
            "rope.scaling.finetuned",
            "rope.scaling.original_context_length",
            "rope.scaling.attn_factor",
            "rope.scaling.yarn_ext_factor",
            "rope.scaling.yarn_beta_fast");

    private static final List<GgufValue> VALUES = Stream.of(
                    Stream.of(0L, 1L, 2L, 3L, 7L, 64L, 100_000L, 0x7fff_fffeL, 0x7fff_ffffL, 0x8000_0000L, 0xffff_ffffL)
                            .map(value -> new GgufValue.Whole(GgufType.UINT32, value)),
                    Stream.of(-1L, Long.MAX_VALUE, Long.MIN_VALUE)
                            .map(value -> new GgufValue.Whole(GgufType.INT64, value)),
                    Stream.of(0f, -1f, Float.MIN_VALUE, 1e38f, Float.NaN, Float.POSITIVE_INFINITY)
                            .map(GgufValue.Float32::new),
                    Stream.of(new GgufValue.Bool(true), new GgufValue.Bool(false)),
                    Stream.of("", "x".repeat(100_000), "\u001B[31m\n").map(GgufValue.Text::new),
                    Stream.of(
                                    GgufArray.ofWholes(GgufType.UINT32),
                                    GgufArray.ofWholes(GgufType.UINT32, 1, 2, 3),
                                    GgufArray.ofWholes(GgufType.INT32, -1, -1, -1, -1, -1, -1, -1, -1),
                                    GgufArray.ofFloats(1f, Float.NaN),
                                    GgufArray.ofBools(true, false, true, true, true, true, true, true),
                                    GgufArray.ofTexts(Collections.nCopies(1000, "y".repeat(1000))))
                            .map(GgufValue.Array::new))
            .<GgufValue>flatMap(values -> values.map(GgufValue.class::cast))
            .toList();

    private static final int MOST_CHARACTERS = 2500;

    @TempDir
    private Path folder;

    private static List<String> models() {
        return List.of(
                "random/tiny-llama-yarn",
                "tiny-llama-moe",
                "tiny-qwen2",
                "random/tiny-qwen3moe",
                "families/tiny-gemma2",
                "families/tiny-gemma3",
                "families/tiny-phi-long",
                "families/tiny-smollm3",
                "families/tiny-olmo3",
                "families/tiny-granite",
                "families/tiny-granitemoe",
                "families/tiny-gpt-oss");
    }

    /** What is said of a head that is refused; nothing where it is not. */
    private Optional<String> refusal(ChangedHead head, String change) {
        GgufContents contents = head.read(folder);
        try {
            ModelBlueprint blueprint = ModelBlueprint.of(contents);
            blueprint.graph(blueprint.newCache(64, ElementType.F16, true), new Pass(4, 64, 1));
            return Optional.empty();
        } catch (MalformedDataException e) {
            String message = String.valueOf(e.getMessage());
            assertThat(message)
                    .as(change)
                    .hasSizeLessThan(MOST_CHARACTERS + folder.toString().length());
            return Optional.of(message);
        } catch (RuntimeException | Error e) {
            throw new AssertionError(change + ": " + e, e);
        }
    }

    @ParameterizedTest
    @MethodSource("models")
    void everyKeyThatIsImpossibleIsNamed(String model) {
        ChangedHead head = ChangedHead.of(model);
        for (String key : KEYS) {
            String whole = head.architecture() + "." + key;
            for (GgufValue value : VALUES) {
                refusal(head.again().with(key, value), whole + " = " + value.display())
                        .ifPresent(message -> assertThat(message)
                                .as("%s: %s = %s", model, whole, value.display())
                                // Where a number is possible and the tensors are of another shape, they are named.
                                .containsAnyOf("'" + whole + "'", "tensor", "expert_used_count"));
            }
            refusal(head.again().without(key), "without " + whole)
                    .ifPresent(message -> assertThat(message).containsAnyOf(whole, "tensor", "dimension_count"));
        }
    }

    @ParameterizedTest
    @MethodSource("models")
    void severalHostileKeysAndTensorsAtOnceAreRefusedOrMakeAGraph(String model) {
        ChangedHead head = ChangedHead.of(model);
        for (long seed = 0; seed < 40; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ChangedHead changed = head.again();
            String what = model + ", seed " + seed;
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                if (random.nextBoolean()) {
                    changed.with(KEYS.get(random.nextInt(KEYS.size())), VALUES.get(random.nextInt(VALUES.size())));
                } else {
                    changeTensor(changed.tensors(), random);
                }
            }
            refusal(changed, what);
        }
    }

    private static void changeTensor(List<TensorSpec> specs, SplittableRandom random) {
        int at = random.nextInt(specs.size());
        TensorSpec spec = specs.get(at);
        ElementType[] types = ElementType.values();
        try {
            specs.set(
                    at,
                    switch (random.nextInt(3)) {
                        case 0 -> TensorSpec.of(spec.name(), types[random.nextInt(types.length)], spec.shape());
                        case 1 ->
                            TensorSpec.of(spec.name() + "x".repeat(1 + random.nextInt(40)), spec.type(), spec.shape());
                        default -> reshaped(spec, random.nextInt(2));
                    });
        } catch (StowageException _) {
            // There is no such tensor, as a row is not a whole number of blocks: it stays as it was.
        }
    }

    private static TensorSpec reshaped(TensorSpec spec, int dimension) {
        long[] dimensions = {spec.shape().d0(), spec.shape().d1(), spec.shape().d2()};
        dimensions[dimension] += 32;
        return TensorSpec.of(spec.name(), spec.type(), dimensions);
    }

    @ParameterizedTest
    @MethodSource("models")
    void noTensorMayHaveAnotherShapeOrATypeThatNothingComputesWith(String model) {
        ChangedHead head = ChangedHead.of(model);
        for (int at = 0; at < head.tensors().size(); at++) {
            TensorSpec spec = head.tensors().get(at);
            for (TensorSpec changed : List.of(
                    reshaped(spec, 0), reshaped(spec, 1), TensorSpec.of(spec.name(), ElementType.I32, spec.shape()))) {
                // Each row of the embeddings is a token, so another number of them is another vocabulary.
                if (changed.name().equals("token_embd.weight")
                        && changed.shape().d1() != spec.shape().d1()) {
                    continue;
                }
                ChangedHead one = head.again();
                one.tensors().set(at, changed);
                assertThat(refusal(one, model + " with " + changed.describe()))
                        .as("%s with %s", model, changed.describe())
                        .hasValueSatisfying(message -> assertThat(message).contains("'" + spec.name() + "'"));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("models")
    void allThatIsNotSupportedIsNamedAtOnceInEveryFamily(String model) {
        ChangedHead head = ChangedHead.of(model)
                .with("rope.scaling.type", new GgufValue.Text("dynamic"))
                .withoutTensor("blk.1.attn_output.weight");
        head.tensors().add(TensorSpec.of("blk.0.surprise.weight", ElementType.F32, 8));
        assertThat(refusal(head, model))
                .hasValueSatisfying(message -> assertThat(message)
                        .contains("'dynamic'", "no tensor 'blk.1.attn_output.weight'", "blk.0.surprise.weight"));
    }

    /** Eight gigabytes would be the pattern of such windows. */
    @Test
    void aPeriodOfWindowsAsLongAsTwoBillionLayersTakesNoMemory() {
        ChangedHead head = ChangedHead.of("families/tiny-gemma3")
                .with("block_count", 0x7fff_fffeL)
                .with("attention.sliding_window_pattern", 0x7fff_ffffL);
        assertThat(refusal(head, "two billion layers"))
                .hasValueSatisfying(message -> assertThat(message).contains("layers"));
    }

    @ParameterizedTest
    @CsvSource({
        "blk.0.ffn_gate_inp.bias",
        "blk.1.ffn_up_exps.bias",
        "blk.2.ffn_down_exps.bias",
        "blk.0.attn_output.bias"
    })
    void expertsOfGptOssDoNotRunWithoutTheirBiases(String name) {
        GgufContents contents =
                ChangedHead.of("families/tiny-gpt-oss").withoutTensor(name).read(folder);
        assertThatThrownBy(() -> ModelBlueprint.of(contents))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("no tensor '" + name + "'");
    }

    @Test
    void attentionToLaterTokensIsNamed() {
        GgufContents contents = ChangedHead.of("random/tiny-llama-yarn")
                .with("attention.causal", new GgufValue.Bool(false))
                .with("rope.scaling.type", new GgufValue.Text("dynamic"))
                .with("rope.dimension_count", 8)
                .read(folder);
        assertThatThrownBy(() -> ModelBlueprint.of(contents))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("'llama.attention.causal' is false")
                .hasMessageContaining("'llama.rope.scaling.type' is 'dynamic'")
                .hasMessageContaining("'llama.rope.dimension_count' is 8");
    }

    /** llama.cpp reads these keys for other families only. */
    @Test
    void keysThatLlamaCppDoesNotReadForAFamilyChangeNothing() {
        ModelBlueprint olmo = ModelBlueprint.of(ChangedHead.of("families/tiny-olmo3")
                .with("rope.freq_base_swa", 5000f)
                .read(folder));
        assertThat(olmo.shape().traits().window().rope())
                .extracting("base")
                .isEqualTo(olmo.shape().rope().base());
        GgufValue no = new GgufValue.Bool(false);
        assertThat(ropeStep("families/tiny-granitemoe", no)).isZero();
        assertThat(ropeStep("families/tiny-granite", no)).isOne();
    }

    /** llama.cpp writes it for every model that it saves, whatever the kind of its rope. */
    @Test
    void aNegativeExtensionFactorStandsForNone() {
        for (String model : List.of("families/tiny-olmo3", "families/tiny-phi-plain")) {
            ChangedHead head = ChangedHead.of(model);
            RopeShape before = ModelBlueprint.of(head.read(folder)).shape().rope();
            GgufContents saved = head.with("rope.scaling.yarn_ext_factor", -1f).read(folder);
            assertThat(ModelBlueprint.of(saved).shape().rope()).isEqualTo(before);
        }
    }

    private int ropeStep(String model, GgufValue finetuned) {
        GgufContents contents =
                ChangedHead.of(model).with("rope.scaling.finetuned", finetuned).read(folder);
        return ModelBlueprint.of(contents).shape().traits().ropeStep();
    }
}
