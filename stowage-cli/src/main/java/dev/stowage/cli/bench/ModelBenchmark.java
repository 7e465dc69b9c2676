package dev.stowage.cli.bench;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.device.Device;
import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Measures how fast a model reads prompts and generates tokens. The tokens are random, with a fixed seed: which tokens
 * they are hardly affects the speed.
 */
final class ModelBenchmark {
    private static final long SEED = 42;

    private final Path file;
    private final ModelOptions options;
    private final int repetitions;
    private final boolean greedy;
    private final Consumer<String> progress;

    /**
     * @param options how the model is run, but for threads and context
     * @param greedy whether devices choose the tokens that are generated, and give no logits
     * @param progress receives each step as a line
     */
    ModelBenchmark(Path file, ModelOptions options, int repetitions, boolean greedy, Consumer<String> progress) {
        this.file = file;
        this.options = options;
        this.repetitions = repetitions;
        this.greedy = greedy;
        this.progress = progress;
    }

    /**
     * What was found out.
     *
     * @param devices the names of the devices it ran on
     */
    record Report(List<BenchResult> results, String devices) {}

    /** How large a context they need. */
    static int context(List<ModelBenchCase> cases) {
        return cases.stream().mapToInt(ModelBenchCase::context).max().orElseThrow();
    }

    /** How a model is opened for cases with the same number of threads. */
    private ModelOptions options(List<ModelBenchCase> cases) {
        return options.withContext(context(cases))
                .withSequences(
                        cases.stream().mapToInt(ModelBenchCase::sequences).max().orElseThrow())
                .withThreads(cases.getFirst().threads());
    }

    /** Measures cases with the same number of threads. */
    Report measure(List<ModelBenchCase> cases) {
        LoadListener loading = (done, all) -> progress.accept(
                String.format(Locale.ROOT, "loading, %s of %s", ByteSize.format(done), ByteSize.format(all)));
        try (LanguageModel model = LanguageModel.open(file, options(cases), loading);
                Session session = ofWriter(model)) {
            List<BenchResult> results = new ArrayList<>();
            for (ModelBenchCase each : cases) {
                results.add(new Run(session, model.tokenizer().vocabulary().size(), each).measure());
            }
            String devices = model.devices().stream().map(Device::name).collect(Collectors.joining(","));
            return new Report(results, devices);
        }
    }

    private static Session ofWriter(LanguageModel model) {
        model.requireText();
        return model.newSession();
    }

    /** One case in one session. */
    private final class Run {
        private final Session session;
        private final ModelBenchCase test;
        private final int[] tokens;
        private final int[] before;
        private final Batch batch = new Batch();

        Run(Session session, int vocabulary, ModelBenchCase test) {
            this.session = session;
            this.test = test;
            Random random = new Random(SEED);
            this.tokens = random.ints(test.tokens(), 0, vocabulary).toArray();
            this.before = random.ints(test.depth(), 0, vocabulary).toArray();
        }

        BenchResult measure() {
            fillContext();
            batch.greedy(greedy && test.generated() > 0);
            WarmUp warmUp = new WarmUp();
            while (!warmUp.isOver()) {
                long nanos = once();
                warmUp.ran(nanos);
                say("warming up, run " + warmUp.runs(), nanos);
            }
            long[] nanos = new long[repetitions];
            for (int i = 0; i < repetitions; i++) {
                nanos[i] = once();
                say("run " + (i + 1) + " of " + repetitions, nanos[i]);
            }
            return BenchResult.ofNanos(test, nanos);
        }

        /** Puts into the cache what comes before that which is measured. */
        private void fillContext() {
            session.clear();
            for (int sequence = 0; sequence < test.sequences() && test.depth() > 0; sequence++) {
                batch.clear();
                for (int token : before) {
                    batch.add(token, sequence, false);
                }
                session.run(batch);
                progress.accept(test.label() + ": filling the context, " + (sequence + 1) + " of " + test.sequences());
            }
        }

        private long once() {
            for (int sequence = 0; sequence < test.sequences(); sequence++) {
                session.truncate(sequence, test.depth());
            }
            long start = System.nanoTime();
            if (test.prompt() > 0) {
                session.run(batch.clear().addAll(tokens, 0));
            } else {
                generate();
            }
            return System.nanoTime() - start;
        }

        /** One token of each sequence at a time. */
        private void generate() {
            int next = 0;
            while (next < tokens.length) {
                batch.clear();
                for (int sequence = 0; sequence < test.sequences(); sequence++) {
                    batch.add(tokens[next++], sequence, true);
                }
                session.run(batch);
            }
        }

        private void say(String what, long nanos) {
            double speed = BenchResult.ofNanos(test, new long[] {nanos}).mean();
            progress.accept(String.format(
                    Locale.ROOT, "%s, %d threads: %s, %.1f t/s", test.label(), test.threads(), what, speed));
        }
    }
}
