package dev.stowage.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.RunListener;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.llm.GenerationOptions;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.llm.TokenListener;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.memory.TensorData;
import dev.stowage.profile.ChromeTrace;
import dev.stowage.profile.OpTime;
import dev.stowage.profile.RunProfile;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of the page about profiles and traces. */
class ProfilesPageTest {

    private static final Path MODEL = Path.of("../stowage-gguf/src/test/resources/lexicon-5m-f16.gguf");

    private final Device device = DeviceRegistry.load().device("cpu");
    private final GraphBuilder ops = new GraphBuilder();
    private final Tensor x = ops.input("x", ElementType.F32, 64);
    private final Graph graph = ops.build(ops.sqr(x).asOutput());

    private void profile() {
        RunProfile profile = new RunProfile();
        try (Backend backend = device.open(BackendOptions.defaults().withListener(profile)); // nodes
                Scheduler scheduler = Scheduler.over(List.of(backend))) {
            scheduler.listen(profile); // splits and copies
            BoundSchedule bound = scheduler.bind(graph);
            TensorData.setFloats(bound.tensor(x), new float[64]);
            bound.run();
            profile.reset(); // leaves out the first run, which compiles code
            for (int run = 0; run < 10; run++) {
                TensorData.setFloats(bound.tensor(x), new float[64]);
                bound.run();
            }
            System.out.print(profile.text()); // two tables: the time per op, and per split
            for (OpTime op : profile.ops()) {
                System.out.println(op.op() + " on " + op.device() + ": " + op.calls() + " calls");
            }
        }
    }

    @Test
    void theProfileCountsTheRunsAfterReset() {
        assertThat(Printed.by(this::profile).lines()).contains("SQR on cpu: 10 calls");
    }

    private static void traceModel(Path file, Path traceFile) throws IOException {
        RunProfile profile = new RunProfile();
        ChromeTrace trace = new ChromeTrace();
        RunListener both = profile.and(trace);

        ModelOptions options =
                ModelOptions.defaults().withBackend(BackendOptions.defaults().withListener(both));
        try (LanguageModel model = LanguageModel.open(file, options, LoadListener.NONE);
                Session session = model.newSession()) {
            session.listen(both);
            int[] prompt = model.tokenizer().encode("harbor, n.", EncodeOptions.PROMPT);
            model.generate(session, prompt, GenerationOptions.defaults().withMaxTokens(4), TokenListener.NONE);
        }
        System.out.print(profile.text());
        trace.write(traceFile); // for Perfetto or chrome://tracing
    }

    @Test
    void aModelIsTraced(@TempDir Path folder) {
        Path traceFile = folder.resolve("run.json");
        String printed = Printed.by(() -> {
            try {
                traceModel(MODEL, traceFile);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });

        assertThat(printed).contains("MUL_MAT");
        assertThat(traceFile).content().startsWith("{").contains("MUL_MAT");
    }

    private static RunListener slowNodes() {
        RunListener slow = (backend, nodes, startNanos, endNanos) -> {
            if (endNanos - startNanos > 1_000_000) {
                System.err.println(nodes.getFirst().name() + " on " + backend.name());
            }
        };
        return slow;
    }

    @Test
    void aListenerIsALambda() {
        RunProfile profile = new RunProfile();
        try (Backend backend = device.open(
                        BackendOptions.defaults().withListener(slowNodes().and(profile)));
                Scheduler scheduler = Scheduler.over(List.of(backend))) {
            scheduler.bind(graph).run();
        }
        assertThat(profile.ops()).extracting(OpTime::op).containsExactly("SQR");
    }
}
