package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.device.DeviceType;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import dev.stowage.testkit.simulated.SimulatedDeviceBuilder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Weights of the processor that another device computes with are kept in host memory of that device. */
@Timeout(120)
class HostWeightsTest {

    private static final int[] PROMPT = IntStream.range(1, 60).toArray();

    private static SimulatedDeviceBuilder gpu() {
        return SimulatedDevice.named("gpu")
                .type(DeviceType.GPU)
                .hostBuffers(true)
                .offloading(node -> node.op() == Op.MUL_MAT && node.dim(1) >= 32)
                .computingWith(TestModels.cpu());
    }

    private static ModelOptions on(SimulatedDevice device) {
        return ModelOptions.defaults()
                .withContext(128)
                .withDevices(List.of(device, TestModels.cpu()))
                .withLayersOn(List.of(0));
    }

    private static float[] logits(ModelOptions options) {
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE);
                Session session = model.newSession()) {
            session.run(new Batch().addAll(PROMPT, 0));
            return session.logits(0).clone();
        }
    }

    @Test
    void promptsHaveTheSameLogitsAsOnTheProcessor() {
        float[] expected = logits(ModelOptions.defaults()
                .withContext(128)
                .withDevices(List.of(TestModels.cpu()))
                .withRearrangedWeights(false));
        SimulatedDevice device = gpu().build();

        float[] found = logits(on(device));

        for (int i = 0; i < expected.length; i++) {
            assertThat(found[i]).as("logit %d", i).isCloseTo(expected[i], within(0.05f));
        }
    }

    @Test
    void theyAreInItsHostMemoryAndItComputesPrompts() {
        SimulatedDevice device = gpu().build();
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), on(device), LoadListener.NONE)) {
            assertThat(device.openHostBuffers()).isPositive();
            assertThat(model.weightBytes(0)).isZero();
            assertThat(model.weightBytes(1)).isPositive();
        }
        assertThat(device.openHostBuffers()).isZero();
    }

    @Test
    void withoutOffloadingTheyAreWhereTheProcessorPrefersThem() {
        SimulatedDevice device = gpu().build();
        ModelOptions options = on(device);
        ModelOptions kept = options.withSchedule(options.schedule().withOffloadedOps(false));
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), kept, LoadListener.NONE)) {
            assertThat(model.weightBytes(1)).isPositive();
            assertThat(device.openHostBuffers()).isZero();
        }
    }

    @Test
    void aDeviceWithTooLittleMemoryForThatDoesNotCompute() {
        SimulatedDevice device = gpu().memoryLimit(1000).build();
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), on(device), LoadListener.NONE);
                Session session = model.newSession()) {
            assertThat(model.options().schedule().offloadsOps()).isFalse();
            session.run(new Batch().addAll(PROMPT, 0));
        }
    }

    @Test
    void whatIsReadIntoHostMemoryIsWhatTheFileHas() {
        List<Long> arrived = new ArrayList<>();
        try (GgufFile file = GgufFile.open(TestModels.lexicon())) {
            List<GgufTensor> all = List.copyOf(file.contents().tensors().values());
            List<Tensor> tensors = all.stream()
                    .map(tensor -> Tensor.leaf(tensor.layout()).named(tensor.name()))
                    .toList();
            try (Buffer memory = Allocations.allocateAll(tensors, HostBufferType.standard());
                    HostLoad load = new HostLoad(file, arrived::add)) {
                assertThat(HostLoad.serves(memory)).isTrue();
                tensors.forEach(tensor -> load.load(tensor, tensor.name()));
                load.finish();
                for (int i = 0; i < all.size(); i++) {
                    MemorySegment expected = MemorySegment.ofArray(
                            new byte[Math.toIntExact(all.get(i).byteSize())]);
                    MemorySegment found = MemorySegment.ofArray(
                            new byte[Math.toIntExact(all.get(i).byteSize())]);
                    file.read(all.get(i), 0, expected);
                    memory.get(tensors.get(i), 0, found);
                    assertThat(found.mismatch(expected)).as(all.get(i).name()).isEqualTo(-1);
                }
            }
            assertThat(arrived.stream().mapToLong(Long::longValue).sum())
                    .isEqualTo(tensors.stream().mapToLong(Tensor::byteSize).sum());
        }
    }

    @Test
    void aTensorOfAnotherLayoutIsRefused() {
        Tensor other = Tensor.leaf(Layout.contiguous(ElementType.F32, 3)).named("token_embd.weight");
        try (GgufFile file = GgufFile.open(TestModels.lexicon());
                Buffer memory = Allocations.allocateAll(List.of(other), HostBufferType.standard());
                HostLoad load = new HostLoad(file, _ -> {})) {
            assertThat(memory.isClosed()).isFalse();
            assertThatThrownBy(() -> load.load(other, other.name())).isInstanceOf(InvalidTensorException.class);
        }
    }
}
