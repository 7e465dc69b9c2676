package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.gguf.GgufContents;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DeviceLoad;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.PlannedDevice;
import dev.stowage.llm.fit.Workload;
import dev.stowage.llm.model.ModelBlueprint;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The example on the page about planning compiles, runs, and is the one that stands there. */
class FitExampleTest {

    private static void example(Path file, PrintStream out) {
        // example begins
        ModelBlueprint blueprint = ModelBlueprint.of(GgufContents.read(file)); // the head of the file is enough
        ModelOptions options = ModelOptions.defaults().withContext(32_768);
        Workload model = new FileDecoder(blueprint, options.session(blueprint));

        DevicePlanner planner = DevicePlanner.over(List.of(
                DeviceBudget.of(PlannedDevice.gpu("gpu", 24L << 30)), // or a device of this machine
                DeviceBudget.of(PlannedDevice.cpu("cpu", 64L << 30))));
        DevicePlan plan = planner.plan(model);

        for (DeviceLoad load : plan.loads()) {
            out.println(load.name() + ": " + load.total() + " bytes, " + load.missing() + " missing");
        }
        if (!plan.fits()) {
            planner.advice(model, plan).forEach(out::println);
        }
        // example ends
    }

    @Test
    void itPrintsWhatEachDeviceTakes() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        example(TestModels.lexicon(), new PrintStream(printed, true, StandardCharsets.UTF_8));
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .containsPattern("gpu: \\d+ bytes, 0 missing\\R+cpu: \\d+ bytes, 0 missing");
    }

    @Test
    void itIsTheOneOnThePage() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/stowage/llm/FitExampleTest.java"));
        String example =
                source.substring(source.indexOf("// example begins\n") + 18, source.indexOf("// example ends"));
        assertThat(Files.readString(Path.of("../docs/plan-a-model.md")))
                .contains("```java\n" + example.stripIndent().strip() + "\n```");
    }
}
