package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.DeviceType;
import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.CallKind;
import dev.stowage.testkit.simulated.FaultKind;
import dev.stowage.testkit.simulated.SimulatedDevice;
import dev.stowage.testkit.simulated.SimulatedDeviceBuilder;
import dev.stowage.testkit.simulated.UploadLog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Weights go up to a device from its own host memory, whole rows at a time, and arrive as they are in the file. */
@Timeout(120)
class WeightUploadTest {

    private final UploadLog log = new UploadLog();

    private SimulatedDeviceBuilder gpu() {
        return SimulatedDevice.named("gpu")
                .type(DeviceType.GPU)
                .hostBuffers(true)
                .uploads(log)
                .computingWith(TestModels.cpu());
    }

    private static void verifyNothingIsOpen(SimulatedDevice device) {
        assertThat(device.openBuffers()).isZero();
        assertThat(device.openHostBuffers()).isZero();
        assertThat(device.openBackends()).isZero();
        assertThat(device.openEvents()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyByteArrivesInWholeRowsFromTheHostMemoryOfTheDevice(boolean hasEvents) {
        SimulatedDevice device = gpu().events(hasEvents).build();
        List<Long> arrived = new ArrayList<>();
        try (GgufFile file = GgufFile.open(TestModels.file("lexicon-5m-f16"))) {
            List<GgufTensor> all = List.copyOf(file.contents().tensors().values());
            List<Tensor> tensors = all.stream()
                    .map(tensor -> Tensor.leaf(tensor.layout()).named(tensor.name()))
                    .toList();
            try (Buffer memory = Allocations.allocateAll(tensors, device.bufferType())) {
                assertThat(memory.isClosed()).isFalse();
                WeightUpload upload = new WeightUpload(device, file, arrived::add);
                tensors.forEach(tensor -> upload.add(tensor, tensor.name()));
                upload.run();
                for (int i = 0; i < all.size(); i++) {
                    verifySame(file, all.get(i), tensors.get(i));
                }
            }
            long bytes = tensors.stream().mapToLong(Tensor::byteSize).sum();
            assertThat(arrived.stream().mapToLong(Long::longValue).sum()).isEqualTo(bytes);
        }
        assertThat(log.uploads()).isNotEmpty().allSatisfy(upload -> {
            long row = upload.tensor().type().rowBytes(upload.tensor().dim(0));
            assertThat(upload.pinned()).isTrue();
            assertThat(upload.submitted()).isTrue();
            assertThat(upload.offset() % row).isZero();
            assertThat(upload.bytes() % row).isZero();
        });
        verifyNothingIsOpen(device);
    }

    static void verifySame(GgufFile file, GgufTensor inFile, Tensor tensor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment expected = arena.allocate(inFile.byteSize());
            MemorySegment found = arena.allocate(inFile.byteSize());
            file.read(inFile, 0, expected);
            Buffer.of(tensor).get(tensor, 0, found);
            assertThat(found.toArray(ValueLayout.JAVA_BYTE))
                    .as(tensor.name())
                    .isEqualTo(expected.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private ModelOptions on(SimulatedDevice device) {
        return ModelOptions.defaults()
                .withContext(64)
                .withDevices(List.of(device, TestModels.cpu()))
                .withLayersOn(List.of(7));
    }

    @Test
    void aModelIsLoadedThatWayWithProgress() {
        SimulatedDevice device = gpu().build();
        List<Long> done = new ArrayList<>();
        LoadListener listener = (bytes, _) -> done.add(bytes);
        try (LanguageModel model = LanguageModel.open(TestModels.file("lexicon-5m-f16"), on(device), listener)) {
            assertThat(model).isNotNull();
            assertThat(log.uploads()).isNotEmpty().allMatch(UploadLog.Upload::pinned);
            assertThat(done).hasSizeGreaterThan(2).isSorted();
        }
        verifyNothingIsOpen(device);
    }

    @Test
    void aTransferThatFailsLeavesNothingTaken() {
        for (int nth = 1; nth <= 20; nth += 3) {
            SimulatedDevice device = gpu().build();
            device.faults().fail(CallKind.SET, nth, FaultKind.FAILURE);

            assertThatThrownBy(
                            () -> LanguageModel.open(TestModels.file("lexicon-5m-f16"), on(device), LoadListener.NONE))
                    .isInstanceOf(StowageException.class)
                    .hasMessageContaining("injected fault");
            verifyNothingIsOpen(device);
        }
    }

    @Test
    void aSessionOnADeviceThatIsLostCanBeClosed() {
        SimulatedDevice device = gpu().build();
        try (LanguageModel model =
                        LanguageModel.open(TestModels.file("lexicon-5m-f16"), on(device), LoadListener.NONE);
                Session session = model.newSession()) {
            session.run(new Batch().add(5, 0, true));
            device.lose(new IllegalStateException("the cable is out"));
            assertThatThrownBy(() -> session.run(new Batch().add(6, 0, true)))
                    .isInstanceOf(StowageException.class)
                    .hasMessageContaining("the cable is out");
        }
        verifyNothingIsOpen(device);
    }
}
