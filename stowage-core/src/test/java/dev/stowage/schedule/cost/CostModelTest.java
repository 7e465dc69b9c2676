package dev.stowage.schedule.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CostModelTest {

    private static final OpRate FAST = OpRate.of(1e9, 1e9).withNanosPerNode(10);
    private static final OpRate SLOW = new OpRate(7, 3, 2);

    private final CostModel model = CostModel.builder()
            .device("gpu", FAST)
            .device("gpu", WorkKind.MATRIX, SLOW)
            .device("cpu", SLOW)
            .link("gpu", "cpu", new LinkRate(100, 1e9))
            .linkTo("cpu", "disk", new LinkRate(5, 5e8))
            .build();

    private final GraphBuilder ops = new GraphBuilder();
    private final Tensor x = ops.tensor(ElementType.F32, 8, 4);

    @Test
    void aNodeTakesItsFixedTimeAndTheLongerOfComputingAndMoving() {
        // 32 flops at 1 ns against 3 * 128 bytes at 1 ns.
        assertThat(model.nanos("gpu", ops.add(x, x))).isEqualTo(10 + 3 * 128);
    }

    @Test
    void aKindOfWorkWithoutARateOfItsOwnHasTheGeneralOne() {
        assertThat(model.rate("gpu", WorkKind.MATRIX)).isEqualTo(SLOW);
        assertThat(model.rate("gpu", WorkKind.NORM)).isEqualTo(FAST);
    }

    @Test
    void whatIsNotComputedTakesNothing() {
        assertThat(model.nanos("gpu", x)).isZero();
        assertThat(model.nanos("gpu", ops.transpose(x))).isZero();
    }

    @Test
    void aCopyTakesTheLatencyAndThenItsBytes() {
        assertThat(model.link("cpu", "gpu").nanos(64)).isEqualTo(100 + 64);
    }

    @Test
    void bytesGoOverAThirdDeviceWhereThereIsNoLink() {
        assertThat(model.link("gpu", "disk").nanos(1000)).isEqualTo(100 + 1000 + 5 + 2000);
    }

    @Test
    void refusesToGuessLinksAndDevices() {
        assertThatThrownBy(() -> model.link("disk", "gpu"))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("'disk' to 'gpu'");
        assertThatThrownBy(() -> model.rate("tpu", WorkKind.NORM))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("'tpu'")
                .hasMessageContaining("[gpu, cpu]");
    }

    @Test
    void refusesTimesThatAreNone() {
        assertThatThrownBy(() -> new OpRate(-1, 0, 0)).isInstanceOf(InvalidPlanException.class);
        assertThatThrownBy(() -> new OpRate(0, Double.NaN, 0)).isInstanceOf(InvalidPlanException.class);
        assertThatThrownBy(() -> OpRate.of(0, 1)).isInstanceOf(InvalidPlanException.class);
        assertThatThrownBy(() -> new LinkRate(0, 0)).isInstanceOf(InvalidPlanException.class);
        assertThatThrownBy(() -> new LinkRate(Double.POSITIVE_INFINITY, 1)).isInstanceOf(InvalidPlanException.class);
    }

    @Test
    void isTheSameAfterBeingWrittenAndRead() {
        assertThat(CostModel.fromJson(model.toJson())).isEqualTo(model).hasSameHashCodeAs(model);
    }

    @Test
    void isTheSameAfterBeingSavedAndLoaded(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("costs.json");
        model.save(file);

        assertThat(CostModel.load(file)).isEqualTo(model);
    }

    @Test
    void refusesFilesThatAreNotText(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("costs.json"), new byte[] {(byte) 0xff, (byte) 0xfe});

        assertThatThrownBy(() -> CostModel.load(file))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("costs.json");
    }

    @Test
    void saysWhereTextIsNotACostModel() {
        String json = model.toJson();

        assertThatThrownBy(() -> CostModel.fromJson(json.replace("stowage-costs", "stowage-plan")))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("format");
        assertThatThrownBy(() -> CostModel.fromJson(json.replace("\"version\": 1", "\"version\": 9")))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("version 9");
        assertThatThrownBy(() -> CostModel.fromJson(json.replace("MATRIX", "MATRICES")))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("devices[0].rates[1].work");
        assertThatThrownBy(
                        () -> CostModel.fromJson(json.replace("\"nanos_per_flop\": 3.0", "\"nanos_per_flop\": -3.0")))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("devices[0].rates[1]");
    }
}
