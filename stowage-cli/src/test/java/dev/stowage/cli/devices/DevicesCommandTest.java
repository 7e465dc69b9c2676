package dev.stowage.cli.devices;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.internal.json.JsonCursor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DevicesCommandTest {

    @AfterEach
    void forgetTheChoice() {
        System.clearProperty(DeviceRegistry.PROVIDERS_PROPERTY);
    }

    @Test
    void showsTheDeviceThatIsAlwaysThere() {
        CommandRun run = CommandRun.of("devices");

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines())
                .anySatisfy(line -> assertThat(line).startsWith("reference").contains("cpu", "iB"));
    }

    @Test
    void showsTheProcessor() {
        assertThat(CommandRun.of("devices").outLines())
                .anySatisfy(line -> assertThat(line).startsWith("cpu ").contains("-bit vectors"));
    }

    @Test
    void saysWhatIsMissingAndWhy() {
        System.setProperty(DeviceRegistry.PROVIDERS_PROPERTY, "-reference,-cpu,-cuda");

        CommandRun run = CommandRun.of("devices");

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines()).contains("none");
        assertThat(run.out()).contains("not available: reference: left out by the system property");
    }

    @Test
    void showsTheGpusOrWhatIsMissingInOneLine() {
        System.setProperty(DeviceRegistry.PROVIDERS_PROPERTY, "cuda");

        CommandRun run = CommandRun.of("devices");

        assertThat(run.exitCode()).isZero();
        assertThat(run.outLines())
                .anySatisfy(line -> assertThat(line).matches("cuda0 .*compute capability.*|not available: cuda: .+"));
    }

    @Test
    void saysTheSameAsJson() {
        JsonCursor provider = CommandRun.of("devices", "--json").json().get("providers").elements().stream()
                .filter(each -> each.get("name").asString().equals("reference"))
                .findFirst()
                .orElseThrow();

        assertThat(provider.get("available").asBoolean()).isTrue();
        JsonCursor device = provider.get("devices").at(0);
        assertThat(device.get("type").asString()).isEqualTo("cpu");
        assertThat(device.get("total_bytes").asLong())
                .isGreaterThanOrEqualTo(device.get("free_bytes").asLong());
    }
}
