package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cli.bench.OpsBenchmark;
import dev.stowage.cli.bench.OpsBenchmarkRequest;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.error.DeviceException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.ElementType;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class OpsBenchTest {

    private final StringWriter err = new StringWriter();
    private final PrintWriter errWriter = new PrintWriter(err);
    private final DeviceRegistry onlyReference = DeviceRegistry.empty().register(new ReferenceProvider());

    private static OpsBenchmarkRequest request(List<String> ops, ElementType type, Path ggml) {
        return new OpsBenchmarkRequest(ops, List.of(type), List.of(1), 1, "reference", ggml, false, true, null);
    }

    @Test
    void isFoundByTheCommand() {
        assertThat(ServiceLoader.load(OpsBenchmark.class).findFirst()).containsInstanceOf(OpsBench.class);
    }

    @Test
    void withoutAProcessorTheReferenceIsMeasuredAndItIsSaid() {
        assertThat(OpsBench.device(null, onlyReference, errWriter).name()).isEqualTo("reference");
        assertThat(err.toString()).contains("'reference'", "slow", "'cpu'");
    }

    @Test
    void aDeviceThatIsNamedIsNotReplaced() {
        assertThatThrownBy(() -> OpsBench.device("cuda7", onlyReference, errWriter))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("cuda7");
    }

    @Test
    void aTypeThatNoCaseHasIsRefused() {
        OpsBenchmarkRequest request = request(List.of("rope"), ElementType.Q4_0, Path.of("."));

        assertThatThrownBy(() -> new OpsBench().run(request, errWriter, errWriter))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("rope")
                .hasMessageContaining("q4_0");
    }

    @Test
    void aFolderWithoutGgmlIsRefusedBeforeAnythingIsMeasured() {
        OpsBenchmarkRequest request = request(List.of("host"), ElementType.F32, Path.of("no-such-folder"));
        StringWriter out = new StringWriter();

        assertThatThrownBy(() -> new OpsBench().run(request, new PrintWriter(out), errWriter))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("libggml-base.so")
                .hasMessageContaining("no-such-folder");
        assertThat(out.toString()).isEmpty();
    }
}
