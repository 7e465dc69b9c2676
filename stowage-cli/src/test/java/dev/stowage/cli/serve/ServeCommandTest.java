package dev.stowage.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.cli.LexiconFile;
import dev.stowage.gguf.GgufContents;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.PlannedDevice;
import dev.stowage.llm.model.ModelBlueprint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The command line of the server; that it serves, and ends as it should, is tried by {@code .ci/check-clients}. */
class ServeCommandTest {

    private static CommandRun serve(String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "serve";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return CommandRun.of(all);
    }

    @Test
    void whatIsWrongOnTheCommandLineIsNamed() {
        assertThat(serve("--port", "70000").err()).contains("--port must be from 0 to 65535");
        assertThat(serve("--slots", "0").err()).contains("'0' is not a whole number from 1");
        assertThat(serve("--template", "odd").err()).contains("there is no template 'odd'");
        assertThat(serve("a.gguf", "-m", "b.gguf").err()).contains("the model is named twice");
        assertThat(serve("--temp", "-1").err()).contains("temperature");
        assertThat(serve("--host", "no such host", "--port", "0").exitCode()).isEqualTo(2);
        assertThat(serve("missing.gguf").exitCode()).isEqualTo(1);
    }

    @Test
    void aPortThatIsTakenIsNamedOnceThePlanIsShown() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun run = serve("--port", String.valueOf(taken.getLocalPort()), "--slots", "2", "--ctx", "256");
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.outLines().getFirst()).isEqualTo("lexicon-5m: 2 slots, 256 tokens of context for all");
            assertThat(run.outLines().get(1))
                    .matches(
                            "planned on cpu: weights [\\d,]+ bytes, KV cache [\\d,]+ bytes, compute [\\d,]+ bytes; all .*");
            assertThat(run.err()).contains("127.0.0.1:" + taken.getLocalPort() + " cannot be listened on");
        }
    }

    @Test
    void whatWouldFitIsFoundByPlanning() {
        ModelBlueprint blueprint = ModelBlueprint.of(GgufContents.read(LexiconFile.F16));
        ModelOptions options = ModelOptions.defaults().withSequences(4).withContext(65536);
        FileDecoder workload = new FileDecoder(blueprint, options.session(blueprint));
        DeviceBudget enough = DeviceBudget.of(PlannedDevice.cpu("cpu", DeviceBudget.UNLIMITED));
        long needed = DevicePlanner.over(List.of(enough))
                .plan(workload)
                .loads()
                .getFirst()
                .total();
        DevicePlanner little = DevicePlanner.over(List.of(DeviceBudget.of(PlannedDevice.cpu("cpu", needed / 2))));
        Optional<String> advice = FittingOptions.advice(little, workload);
        assertThat(advice).isPresent();
        assertThat(advice.get()).startsWith("--ctx ");
        int context = Integer.parseInt(advice.get().split(",", 2)[0].substring("--ctx ".length()));
        FileDecoder smaller =
                new FileDecoder(blueprint, options.withContext(context).session(blueprint));
        assertThat(little.plan(smaller).fits()).isTrue();
    }
}
