package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceType;
import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufFile;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.CallKind;
import dev.stowage.testkit.simulated.FaultKind;
import dev.stowage.testkit.simulated.SimulatedDevice;
import dev.stowage.testkit.simulated.UploadLog;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Weights go to a device without host memory of its own out of the file, each in one transfer. */
@Timeout(120)
class DirectUploadTest {

    private final UploadLog log = new UploadLog();

    /** A device as one of another machine is. */
    private SimulatedDevice remote(String name) {
        return SimulatedDevice.named(name)
                .type(DeviceType.GPU)
                .hostBuffers(false)
                .events(false)
                .uploads(log)
                .computingWith(TestModels.cpu())
                .build();
    }

    private static void verifyNothingIsOpen(SimulatedDevice device) {
        assertThat(device.openBuffers()).isZero();
        assertThat(device.openBackends()).isZero();
    }

    @Test
    void everyWeightIsOneTransferThatIsReported() {
        SimulatedDevice device = remote("remote");
        assertThat(DirectUpload.serves(device, device.bufferType())).isTrue();
        List<Long> arrived = new ArrayList<>();
        Set<Thread> reporters = new HashSet<>();
        List<Tensor> tensors;
        try (GgufFile file = GgufFile.open(TestModels.lexicon())) {
            tensors = file.contents().tensors().values().stream()
                    .map(tensor -> Tensor.leaf(tensor.layout()).named(tensor.name()))
                    .toList();
            try (Buffer memory = Allocations.allocateAll(tensors, device.bufferType())) {
                memory.setUsage(BufferUsage.WEIGHTS);
                DirectUpload upload = new DirectUpload(device, file, bytes -> {
                    arrived.add(bytes);
                    reporters.add(Thread.currentThread());
                });
                tensors.forEach(tensor -> upload.add(tensor, tensor.name()));
                upload.run();
                tensors.forEach(tensor ->
                        WeightUploadTest.verifySame(file, file.contents().tensor(tensor.name()), tensor));
            }
        }
        assertThat(arrived.stream().mapToLong(Long::longValue).sum())
                .isEqualTo(tensors.stream().mapToLong(Tensor::byteSize).sum());
        assertThat(reporters).containsExactly(Thread.currentThread());
        assertThat(log.uploads()).hasSameSizeAs(tensors).allSatisfy(upload -> {
            assertThat(upload.submitted()).isTrue();
            assertThat(upload.offset()).isZero();
            assertThat(upload.bytes()).isEqualTo(upload.tensor().byteSize());
        });
        verifyNothingIsOpen(device);
    }

    private static ModelOptions on(List<Device> devices, List<Integer> layersOn) {
        return ModelOptions.defaults().withContext(64).withDevices(devices).withLayersOn(layersOn);
    }

    @Test
    void aModelOnTwoDevicesIsLoadedThatWayWithOneProgressForBoth() {
        SimulatedDevice one = remote("one");
        SimulatedDevice two = remote("two");
        List<Long> done = new ArrayList<>();
        List<Long> all = new ArrayList<>();
        LoadListener listener = (bytes, total) -> {
            done.add(bytes);
            all.add(total);
        };
        ModelOptions options = on(List.of(one, two, TestModels.cpu()), List.of(3, 4));
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), options, listener)) {
            assertThat(model.weightBytes(0)).isPositive();
            assertThat(model.weightBytes(1)).isPositive();
            assertThat(done).hasSizeGreaterThan(2).isSorted().startsWith(0L).endsWith(all.getFirst());
            assertThat(all).containsOnly(all.getFirst());
            assertThat(log.uploads().stream().mapToLong(UploadLog.Upload::bytes).sum())
                    .isEqualTo(all.getFirst());
        }
        verifyNothingIsOpen(one);
        verifyNothingIsOpen(two);
    }

    @Test
    void aTransferThatFailsLeavesNothingTaken() {
        for (int nth = 1; nth <= 20; nth += 3) {
            SimulatedDevice one = remote("one");
            SimulatedDevice two = remote("two");
            two.faults().fail(CallKind.SET, nth, FaultKind.FAILURE);
            ModelOptions options = on(List.of(one, two, TestModels.cpu()), List.of(3, 4));

            assertThatThrownBy(() -> LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE))
                    .isInstanceOf(StowageException.class)
                    .hasMessageContaining("injected fault");
            verifyNothingIsOpen(one);
            verifyNothingIsOpen(two);
        }
    }
}
