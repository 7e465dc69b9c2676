package dev.stowage.bench.llm;

import com.sun.management.ThreadMXBean;
import dev.stowage.device.Backend;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.RunListener;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.Graph;
import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.tensor.Tensor;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Measures what a generated token costs beside the work of the device: {@code MODEL.gguf DEVICE [-n 128] [-r 12] [-d 0]}.
 * Each round generates {@code n} tokens after {@code d} others and prints medians per token: the time by the wall clock,
 * the time of the device between its own events, the difference, and the bytes that the calling thread allocates. Events
 * are recorded in a second session, so that recording them does not count. The first rounds show code that is not compiled
 * yet.
 */
public final class TokenCost {

    /** What comes back from the device. */
    private enum Mode {
        LOGITS,
        GREEDY,
        /** Drawn by the device with the default options. */
        DRAWN,
        /** Drawn by the host from logits with the same options. */
        SAMPLED
    }

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final double NANOS_PER_MICRO = 1e3;

    private final int tokens;
    private final int depth;
    private final int rounds;
    private final DeviceTime deviceTime = new DeviceTime();
    private final Batch batch = new Batch();
    private int vocabulary;

    private TokenCost(List<String> arguments) {
        this.tokens = option(arguments, "-n", 128);
        this.depth = option(arguments, "-d", 0);
        this.rounds = option(arguments, "-r", 12);
    }

    private static int option(List<String> arguments, String name, int otherwise) {
        int at = arguments.indexOf(name);
        return at < 0 ? otherwise : Integer.parseInt(arguments.get(at + 1));
    }

    /** The time between the events of a device around its splits. */
    private static final class DeviceTime implements RunListener {

        private long nanos;

        @Override
        public void computed(Backend backend, List<Tensor> nodes, long startNanos, long endNanos) {
            // Only splits are measured.
        }

        @Override
        public void ranSplit(Backend backend, int split, Graph graph, long startNanos, long endNanos) {
            nanos += endNanos - startNanos;
        }
    }

    /** Measures and prints a line for each round. */
    public static void main(String... arguments) {
        if (arguments.length < 2) {
            throw new MalformedDataException("name a model and a device");
        }
        TokenCost cost = new TokenCost(List.of(arguments));
        ModelOptions options = ModelOptions.defaults()
                .withDevices(List.of(DeviceRegistry.load().device(arguments[1])))
                .withContext(cost.depth + cost.tokens);
        try (LanguageModel model = LanguageModel.open(Path.of(arguments[0]), options, LoadListener.NONE);
                Session plain = model.newSession();
                Session timed = model.newSession()) {
            timed.listen(cost.deviceTime);
            cost.vocabulary = model.tokenizer().vocabulary().size();
            cost.measure(plain, timed);
        }
    }

    private void measure(Session plain, Session timed) {
        for (Session session : List.of(plain, timed)) {
            if (depth > 0) {
                session.run(batch.clear().addAll(new int[depth], 0));
            }
        }
        for (Mode mode : Mode.values()) {
            for (int round = 0; round < rounds; round++) {
                measure(mode, round, plain, timed);
            }
        }
    }

    private void measure(Mode mode, int round, Session plain, Session timed) {
        Sampler sampler = new Sampler(SamplingOptions.defaults(), vocabulary);
        if (mode == Mode.DRAWN) {
            batch.draw(sampler);
        } else {
            batch.greedy(mode == Mode.GREEDY);
        }
        long[] wall = new long[tokens];
        long[] unused = new long[tokens];
        deviceTime.nanos = 0;
        generate(mode, timed, sampler, unused);
        double device = deviceTime.nanos / NANOS_PER_MICRO / tokens;
        long before = THREADS.getCurrentThreadAllocatedBytes();
        generate(mode, plain, sampler, wall);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        double mean = Arrays.stream(wall).average().orElse(0) / NANOS_PER_MICRO;
        Arrays.sort(wall);
        double median = wall[tokens / 2] / NANOS_PER_MICRO;
        System.out.printf(
                Locale.ROOT,
                "%-7s round %2d: wall %8.1f us (mean %8.1f), device %8.1f us, beside it %6.1f us, %d bytes allocated%n",
                mode,
                round,
                median,
                mean,
                device,
                median - device,
                allocated / tokens);
    }

    private void generate(Mode mode, Session session, Sampler sampler, long[] wall) {
        session.truncate(0, depth);
        int token = 0;
        for (int i = 0; i < tokens; i++) {
            long start = System.nanoTime();
            session.run(batch.clear().add(token, 0, true));
            token = switch (mode) {
                case LOGITS -> 0;
                case GREEDY, DRAWN -> session.token(0);
                case SAMPLED -> sampler.next(session.logits(0));
            };
            wall[i] = System.nanoTime() - start;
        }
    }
}
