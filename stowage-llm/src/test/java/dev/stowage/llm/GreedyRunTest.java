package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.device.Device;
import dev.stowage.device.OpSupport;
import dev.stowage.error.AccessException;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.tensor.Op;
import dev.stowage.testkit.simulated.SimulatedDevice;
import dev.stowage.testkit.simulated.SimulatedDeviceBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A greedy batch gives the tokens that the sampler would choose from the logits, wherever they are computed. */
class GreedyRunTest {

    private static final int VOCABULARY = 2048;

    /** Where a model runs. */
    enum Machine {
        PROCESSOR,
        DEVICE,
        DEVICE_AND_PROCESSOR,
        /** The output layer is on a device that cannot choose. */
        DEVICE_WITHOUT_ARGMAX;

        List<Device> devices() {
            SimulatedDeviceBuilder gpu =
                    SimulatedDevice.named("gpu").hostBuffers(true).computingWith(TestModels.cpu());
            return switch (this) {
                case PROCESSOR -> List.of(TestModels.cpu());
                case DEVICE -> List.of(gpu.build());
                case DEVICE_AND_PROCESSOR -> List.of(gpu.build(), TestModels.cpu());
                case DEVICE_WITHOUT_ARGMAX ->
                    List.of(
                            gpu.supporting(node ->
                                            node.op() == Op.ARGMAX ? OpSupport.no("it cannot choose") : OpSupport.yes())
                                    .build(),
                            TestModels.cpu());
            };
        }
    }

    private static LanguageModel open(List<Device> devices) {
        ModelOptions options = ModelOptions.defaults()
                .withContext(128)
                .withBatch(8)
                .withSequences(3)
                .withRearrangedWeights(false)
                .withDevices(devices);
        return LanguageModel.open(TestModels.file("tiny-qwen2"), options, LoadListener.NONE);
    }

    private static int chosen(float[] logits) {
        return new Sampler(SamplingOptions.greedy(), VOCABULARY).next(logits);
    }

    private static List<Integer> tokens(Session session) {
        return IntStream.range(0, session.outputs()).mapToObj(session::token).toList();
    }

    private static List<Integer> chosenByTheSampler(Session session) {
        return IntStream.range(0, session.outputs())
                .mapToObj(i -> chosen(session.logits(i)))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void theTokenIsTheOneWithTheLargestLogit(Machine machine) {
        Random random = new Random(machine.name().hashCode());
        try (LanguageModel model = open(machine.devices());
                Session greedy = model.newSession();
                Session plain = model.newSession()) {
            for (int run = 0; run < 20; run++) {
                Batch batch = new Batch();
                // Some of them take several passes.
                IntStream.range(0, 1 + random.nextInt(run % 5 == 0 ? 20 : 3))
                        .forEach(_ -> batch.add(random.nextInt(VOCABULARY), random.nextInt(3), random.nextInt(4) > 0));
                if (batch.size() > greedy.room()) {
                    greedy.clear();
                    plain.clear();
                }
                plain.run(batch.greedy(false));
                greedy.run(batch.greedy(true));
                assertThat(greedy.outputs()).isEqualTo(batch.outputs());
                assertThat(tokens(greedy)).isEqualTo(chosenByTheSampler(plain));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void logitsCanBeReadAfterAGreedyRun(Machine machine) {
        try (LanguageModel model = open(machine.devices());
                Session session = model.newSession()) {
            Batch batch = new Batch().add(5, 0, true).add(6, 1, false).add(7, 1, true);
            session.run(batch);
            List<float[]> logits = new ArrayList<>(
                    List.of(session.logits(0).clone(), session.logits(1).clone()));
            session.clear();
            session.run(batch.greedy(true));
            assertThat(session.logits(1)).isEqualTo(logits.get(1));
            assertThat(session.logits(0)).isEqualTo(logits.get(0));
            assertThat(tokens(session)).containsExactly(chosen(logits.get(0)), chosen(logits.get(1)));
        }
    }

    @Test
    void whatALaterPassHasOverwrittenIsRefused() {
        try (LanguageModel model = open(List.of(TestModels.cpu()));
                Session session = model.newSession()) {
            Batch batch = new Batch().greedy(true);
            IntStream.range(0, 10).forEach(i -> batch.add(i, 0, true));
            session.run(batch);
            assertThat(session.logits(8)).hasSize(VOCABULARY);
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> session.logits(7))
                    .withMessageContaining("outputs from 8 on, not for 7");
        }
    }

    @Test
    void tokensAreForGreedyRunsOnly() {
        try (LanguageModel model = open(List.of(TestModels.cpu()));
                Session session = model.newSession()) {
            session.run(new Batch().add(5, 0, true));
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> session.token(0))
                    .withMessageContaining("run a batch that is greedy");
            session.run(new Batch().greedy(true).add(5, 0, true));
            assertThatExceptionOfType(AccessException.class)
                    .isThrownBy(() -> session.token(1))
                    .withMessageContaining("gave 1 tokens");
        }
    }

    @Test
    void onlyTheTokenComesBackFromADevice() {
        SimulatedDevice gpu = SimulatedDevice.named("gpu")
                .hostBuffers(true)
                .computingWith(TestModels.cpu())
                .build();
        try (LanguageModel model = open(List.of(gpu));
                Session session = model.newSession()) {
            session.run(new Batch().greedy(true).add(5, 0, true));
            assertThat(session.schedule().orElseThrow().graph().outputs())
                    .extracting(tensor -> tensor.name())
                    .contains("result_tokens");
            session.run(new Batch().add(5, 0, true));
            assertThat(session.schedule().orElseThrow().graph().outputs())
                    .extracting(tensor -> tensor.name())
                    .doesNotContain("result_tokens");
        }
    }
}
