package dev.stowage.bench.ggml.live;

import dev.stowage.bench.ggml.GgmlFolder;
import dev.stowage.error.MalformedDataException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbered pieces of work done in another process, because ggml answers wrong input by ending the process it is in: the
 * piece at which that happened is reported, and a new process continues after it.
 *
 * <pre>
 *   this process                          the worker
 *   starts it, "from piece 0"   ──►       prints  @start 0 name   before each piece
 *   reads, reports              ◄──               @done 0 result  after it
 *   (it ended in piece 7)                 ...
 *   starts another, "from piece 8"        prints  @end            at the end of all
 * </pre>
 */
public final class CrashIsolatedRun {

    /** What the worker does: piece by piece, always in the same order. */
    public interface Work {

        int size();

        String name(int piece);

        /** Does a piece and returns its result in one line. */
        String run(int piece);
    }

    /** Receives how each piece ended. */
    public interface Listener {

        void done(int piece, String name, String result);

        /** The process ended in that piece; {@code lastWords} is what it printed, which may be nothing. */
        void died(int piece, String name, String lastWords);
    }

    /** What the Java of a worker is tuned for. */
    public enum Speed {
        /** Scalar code that runs a moment for each piece: the first compiler is good enough for it. */
        QUICK_START("-XX:TieredStopAtLevel=1"),
        /** Vector code, which is only fast, and only bearable, as the last compiler makes it. */
        VECTORS("--add-modules=jdk.incubator.vector");

        private final String option;

        Speed(String option) {
            this.option = option;
        }
    }

    /** The first argument of a worker; after it the first piece to do. */
    static final String WORKER = "--worker";

    private static final String START = "@start ";
    private static final String DONE = "@done ";
    private static final String END = "@end";
    private static final int MOST_LAST_WORDS = 400;

    private final Class<?> main;
    private final Speed speed;
    private final Map<String, String> properties;
    private final List<String> arguments;
    private final Listener listener;

    private int piece;
    private String name = "";
    private final StringBuilder words = new StringBuilder();
    private boolean ended;

    private CrashIsolatedRun(
            Class<?> main, Speed speed, Map<String, String> properties, List<String> arguments, Listener listener) {
        this.main = main;
        this.speed = speed;
        this.properties = properties;
        this.arguments = arguments;
        this.listener = listener;
    }

    /** Has workers of that main class do all pieces, which is called with {@link #WORKER} before the arguments. */
    public static void run(Class<?> main, List<String> arguments, Listener listener) {
        run(main, Speed.QUICK_START, Map.of(), arguments, listener);
    }

    /** As the other method, with system properties for the worker; those about ggml set here count for it too. */
    public static void run(
            Class<?> main, Speed speed, Map<String, String> properties, List<String> arguments, Listener listener) {
        CrashIsolatedRun run = new CrashIsolatedRun(main, speed, properties, arguments, listener);
        while (!run.ended) {
            run.runWorker();
        }
    }

    /** The part of the worker: does the pieces from {@code from} on. */
    public static void work(Work work, int from) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (int i = from; i < work.size(); i++) {
            out.println(START + i + " " + line(work.name(i)));
            out.println(DONE + i + " " + line(work.run(i)));
        }
        out.println(END);
    }

    private static String line(String text) {
        return text.replace('\n', ' ').replace('\r', ' ');
    }

    private void runWorker() {
        int from = piece;
        name = "";
        words.setLength(0);
        try {
            Process worker = start(from);
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(worker.getInputStream(), StandardCharsets.UTF_8))) {
                String next = lines.readLine();
                while (next != null) {
                    hear(next);
                    next = lines.readLine();
                }
            }
            int status = worker.waitFor();
            if (!ended) {
                afterEnd(status);
            }
        } catch (IOException e) {
            throw new MalformedDataException("a process for " + main.getName() + " could not be started: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MalformedDataException("interrupted while a process for " + main.getName() + " was running", e);
        }
    }

    /** The worker ended too early: in a piece, or, which is the end of everything, outside all of them. */
    private void afterEnd(int status) {
        if (name.isEmpty()) {
            throw new MalformedDataException("the process for " + main.getName() + " ended with status " + status
                    + " before piece " + piece + ": " + words);
        }
        listener.died(piece, name, words.isEmpty() ? "status " + status : words.toString());
        piece++;
    }

    private void hear(String text) {
        if (text.startsWith(START)) {
            String[] parts = text.substring(START.length()).split(" ", 2);
            piece = Integer.parseInt(parts[0]);
            name = parts[1];
            words.setLength(0);
        } else if (text.startsWith(DONE)) {
            String[] parts = text.substring(DONE.length()).split(" ", 2);
            listener.done(piece, name, parts[1]);
            name = "";
            piece++;
        } else if (text.equals(END)) {
            ended = true;
        } else if (!text.isBlank() && words.length() < MOST_LAST_WORDS) {
            words.append(words.isEmpty() ? "" : " ").append(text.strip());
        }
    }

    private Process start(int from) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:-CreateCoredumpOnCrash"));
        command.addAll(List.of("-XX:ErrorFile=/dev/null"));
        command.add(speed.option);
        for (String property : GgmlFolder.PROPERTIES) {
            String value = properties.getOrDefault(property, System.getProperty(property));
            if (value != null) {
                command.add("-D" + property + "=" + value);
            }
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(WORKER, Integer.toString(from)));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        // ggml would have a debugger print where it stopped, if there is one.
        builder.environment().put("GGML_NO_BACKTRACE", "1");
        return builder.start();
    }

    /** The first piece a worker is to do, or null if these are not the arguments of one. */
    public static @Nullable Integer firstPiece(String... arguments) {
        return arguments.length >= 2 && arguments[0].equals(WORKER) ? Integer.valueOf(arguments[1]) : null;
    }
}
