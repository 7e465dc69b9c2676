package dev.stowage.bench.llm;

import dev.stowage.device.DeviceRegistry;
import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures how many tokens a second several sessions of one model generate in all, each by a thread of its own, on the
 * processor: {@code MODEL.gguf [-s 1,2,4,8] [-t 1,2,4,8] [-n 64] [-r 5]}. Every arrangement of sessions and threads is
 * measured once in each round, so that whatever else the machine does meets all of them; the table has the medians, and
 * each as a multiple of the best arrangement with as many sessions.
 */
public final class SessionThroughput {

    private static final double NANOS_PER_SECOND = 1e9;

    private final Path file;
    private final int[] sessions;
    private final int[] threads;
    private final int tokens;
    private final int rounds;

    private SessionThroughput(List<String> arguments) {
        this.file = Path.of(arguments.getFirst());
        this.sessions = numbers(arguments, "-s", "1,2,4,8");
        this.threads = numbers(arguments, "-t", "1,2,4,8");
        this.tokens = numbers(arguments, "-n", "64")[0];
        this.rounds = numbers(arguments, "-r", "5")[0];
    }

    private static int[] numbers(List<String> arguments, String name, String otherwise) {
        int at = arguments.indexOf(name);
        String text = at < 0 ? otherwise : arguments.get(at + 1);
        return Arrays.stream(text.split(",", -1)).mapToInt(Integer::parseInt).toArray();
    }

    /** Measures and prints a table. */
    public static void main(String... arguments) throws Exception {
        if (arguments.length == 0) {
            throw new MalformedDataException("name a model");
        }
        new SessionThroughput(List.of(arguments)).measure();
    }

    private void measure() throws Exception {
        double[][][] speeds = new double[sessions.length][threads.length][rounds];
        List<LanguageModel> models = new ArrayList<>();
        try {
            for (int count : threads) {
                models.add(LanguageModel.open(file, options(count), LoadListener.NONE));
            }
            // The first round is not counted: code is compiled in it.
            for (int round = -1; round < rounds; round++) {
                for (int s = 0; s < sessions.length; s++) {
                    for (int t = 0; t < threads.length; t++) {
                        double speed = speed(models.get(t), sessions[s]);
                        if (round >= 0) {
                            speeds[s][t][round] = speed;
                        }
                    }
                }
            }
        } finally {
            models.forEach(LanguageModel::close);
        }
        print(speeds);
    }

    private ModelOptions options(int threadCount) {
        return ModelOptions.defaults()
                .withDevices(List.of(DeviceRegistry.load().device("cpu")))
                .withContext(tokens)
                .withThreads(threadCount);
    }

    /** The tokens a second of so many sessions in all, from the moment when all are ready to the end of the last. */
    private double speed(LanguageModel model, int sessionCount) throws Exception {
        CyclicBarrier ready = new CyclicBarrier(sessionCount + 1);
        try (ExecutorService callers = Executors.newFixedThreadPool(sessionCount)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < sessionCount; i++) {
                running.add(callers.submit(() -> generate(model, ready)));
            }
            ready.await();
            long start = System.nanoTime();
            for (Future<?> session : running) {
                session.get();
            }
            return sessionCount * (tokens - 1) * NANOS_PER_SECOND / (System.nanoTime() - start);
        }
    }

    private boolean generate(LanguageModel model, CyclicBarrier ready) throws Exception {
        try (Session session = model.newSession()) {
            Batch batch = new Batch().greedy(true);
            session.run(batch.clear().add(0, 0, true));
            ready.await();
            for (int i = 1; i < tokens; i++) {
                session.run(batch.clear().add(session.token(0), 0, true));
            }
        }
        return true;
    }

    private void print(double[][][] speeds) {
        System.out.printf(Locale.ROOT, "%-10s", "sessions");
        for (int count : threads) {
            System.out.printf(Locale.ROOT, "%20s", count + (count == 1 ? " thread" : " threads"));
        }
        System.out.println();
        for (int s = 0; s < sessions.length; s++) {
            double[] medians = Arrays.stream(speeds[s])
                    .mapToDouble(SessionThroughput::median)
                    .toArray();
            double best = Arrays.stream(medians).max().orElseThrow();
            System.out.printf(Locale.ROOT, "%-10d", sessions[s]);
            for (double speed : medians) {
                System.out.printf(Locale.ROOT, "%13.1f (%.2f)", speed, speed / best);
            }
            System.out.println();
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
