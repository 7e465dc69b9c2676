package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cli.bench.OpsBenchGroups;
import dev.stowage.cli.bench.OpsBenchmarkRequest;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.error.DeviceException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** With small cases: the usual ones would take minutes on the reference. */
class DeviceOpsBenchTest {

    private static final Ceilings.Sizes SMALL = new Ceilings.Sizes(1 << 16, 32, 64, Double.MAX_VALUE);
    private static final long COLD = 1 << 16;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Device reference = DeviceRegistry.load().device("reference");

    private static OpsBenchmarkRequest request(String device, List<String> ops, List<ElementType> types) {
        return new OpsBenchmarkRequest(ops, types, List.of(), 2, device, null, false, true, null);
    }

    private DeviceOpsBench bench(Device device) {
        return new DeviceOpsBench(
                device,
                request(device.name(), List.of(), List.of()),
                new PrintWriter(out, true),
                new PrintWriter(err, true));
    }

    private static List<DeviceOpCase> small() {
        return List.of(
                DeviceOpCases.product(ElementType.Q4_0, 64, 64, 1), DeviceOpCases.product(ElementType.F16, 64, 64, 3));
    }

    @Test
    void printsCeilingsAndALineForEachOp() {
        String json = bench(reference).run(small(), SMALL, COLD);

        assertThat(out.toString().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("reference: "),
                        line -> assertThat(line).isEqualTo("times by the clock of the host"),
                        line -> assertThat(line).matches("ceilings: \\d+ GB/s, a copy; \\d+ GFLOP/s, a product.*"),
                        line -> assertThat(line).startsWith("op ").contains("GB/s", "GFLOP/s"),
                        line -> assertThat(line)
                                .startsWith("mul_mat 64x64, 1 token ")
                                .contains("q4_0"),
                        line -> assertThat(line)
                                .startsWith("mul_mat 64x64, 3 tokens ")
                                .contains("f16"));
        assertThat(json).contains("\"ceiling_bytes_per_second\"", "\"clock\": \"host\"", "\"of_ceiling_flops\"");
    }

    @Test
    void aDeviceWithAClockIsTimedByIt() {
        try (Device device =
                SimulatedDevice.named("accelerator").async(true).events(true).build()) {
            assertThat(StreamContender.hasClock(device)).isTrue();
            String json = bench(device).run(small(), SMALL, COLD);
            assertThat(out.toString()).contains("times by the clock of the device");
            assertThat(json).contains("\"clock\": \"device\"");
        }
        assertThat(StreamContender.hasClock(reference)).isFalse();
    }

    @Test
    void whatADeviceRefusesIsALineWithTheReason() {
        bench(new RefusingDevice(reference)).run(small(), SMALL, COLD);
        assertThat(out.toString()).contains("ceilings: - GB/s", "too hot today");
    }

    @Test
    void groupsAndTypesSelectAmongCasesForDevices() {
        PrintWriter nowhere = new PrintWriter(err);
        OpsBenchmarkRequest none = request("reference", List.of("model"), List.of());
        assertThatThrownBy(() -> new DeviceOpsBench(reference, none, nowhere, nowhere).run())
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContainingAll("model", "device");
        assertThat(DeviceOpCases.all()).extracting(DeviceOpCase::group).isSubsetOf(OpsBenchGroups.NAMES);
        assertThat(DeviceOpCases.select(List.of(), List.of(), false))
                .extracting(DeviceOpCase::type)
                .doesNotContain(ElementType.Q5_K);
        assertThat(DeviceOpCases.select(List.of("mul_mat"), List.of(ElementType.Q5_K), false))
                .hasSize(10);
        assertThat(DeviceOpCases.select(List.of(), List.of(), true))
                .isNotEmpty()
                .noneMatch(DeviceOpCase::isPatient);
    }

    @Test
    void anUnknownDeviceIsRefusedByName() {
        OpsBenchmarkRequest unknown = request("cuda77", List.of(), List.of());
        assertThatThrownBy(() -> new OpsBench().run(unknown, new PrintWriter(out), new PrintWriter(err)))
                .isInstanceOf(DeviceException.class)
                .hasMessageContainingAll("cuda77", "reference");
    }

    @Test
    void aFolderOfGgmlAsksForTheComparison() {
        assertThat(request("cpu", List.of(), List.of()).measuresDeviceAlone()).isTrue();
        assertThat(new OpsBenchmarkRequest(List.of(), List.of(), List.of(), 1, "cpu", null, true, true, null)
                        .measuresDeviceAlone())
                .isFalse();
        assertThat(new OpsBenchmarkRequest(List.of(), List.of(), List.of(), 1, null, null, false, true, null)
                        .measuresDeviceAlone())
                .isFalse();
    }

    @Test
    void copiesReadAndWriteMoreThanACacheHolds() {
        try (TestData data = new TestData()) {
            DeviceOpCase.Copies copies = small().getFirst().make(data, COLD);
            assertThat(copies.bytes()).isEqualTo(64 * 36 + 64 * 4 + 64 * 4);
            assertThat(copies.count() * copies.bytes()).isGreaterThanOrEqualTo(COLD);
            assertThat(copies.workload().graph().nodes()).hasSize(copies.count());
            // Each has operands of its own.
            assertThat(copies.workload().graph().leaves()).hasSize(2 * copies.count());
        }
    }

    @Test
    void ofTablesOnlyTheRowsThatAreUsedCount() {
        try (TestData data = new TestData()) {
            BenchWorkloadBuilder b = new BenchWorkloadBuilder(data);
            Tensor table = b.weight(ElementType.F16, 64, 100);
            Tensor ids = b.input(ElementType.I32, data.ints(3, i -> i), 3);
            assertThat(OpTraffic.bytes(b.ops().getRows(table, ids))).isEqualTo(3 * 64 * 2 + 3 * 4 + 3 * 64 * 4);
        }
    }

    @Test
    void partsOfACeilingThatIsNotKnownAreNotKnown() {
        Ceilings ceilings = new Ceilings(OptionalDouble.of(200), OptionalDouble.empty());
        assertThat(ceilings.partOfBytes(OptionalDouble.of(50))).hasValue(0.25);
        assertThat(ceilings.partOfFlops(OptionalDouble.of(50))).isEmpty();
    }
}
