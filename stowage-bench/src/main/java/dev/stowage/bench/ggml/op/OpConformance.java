package dev.stowage.bench.ggml.op;

import dev.stowage.bench.ggml.GgmlFolder;
import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.live.CrashIsolatedRun;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.Op;
import dev.stowage.testkit.op.OpCase;
import dev.stowage.testkit.op.OpCases;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Compares a device with ggml's CPU backend: every case of every op, the fixed ones and random ones, from the same
 * bytes. {@code java ... OpConformance [--device NAME] [--op NAME] [--seeds N] [--seed S]} compares that device (the
 * reference) with N random cases per op (20) drawn from seed S (1). Every case is run by ggml's best code for this processor and by its plain code, where
 * both are there and {@value GgmlFolder#CPU_PROPERTY} does not name one. Prints the failures and a table; the last line
 * says {@code N passed, M failed}, and the status is 1 if one failed.
 */
public final class OpConformance {

    private static final int DEFAULT_RANDOM_CASES = 20;

    private static final String REFERENCE = "reference";

    /** The CPU backend for any 64-bit processor, which has no vector code of its own. */
    private static final String PLAIN_CPU = "x64";

    /** What was asked for on the command line; no op stands for all. */
    private record Options(String device, String op, int randomCases, long seed) {

        static Options parse(List<String> arguments) {
            Options options = new Options(REFERENCE, "", DEFAULT_RANDOM_CASES, 1);
            for (int i = 0; i + 1 < arguments.size(); i += 2) {
                options = options.with(arguments.get(i), arguments.get(i + 1));
            }
            if (arguments.size() % 2 != 0) {
                throw unknown(arguments.getLast());
            }
            return options;
        }

        private Options with(String name, String value) {
            return switch (name) {
                case "--device" -> new Options(value, op, randomCases, seed);
                case "--op" -> new Options(device, value.toUpperCase(Locale.ROOT), randomCases, seed);
                case "--seeds" -> new Options(device, op, Integer.parseInt(value), seed);
                case "--seed" -> new Options(device, op, randomCases, Long.parseLong(value));
                default -> throw unknown(name);
            };
        }

        private static MalformedDataException unknown(String argument) {
            return new MalformedDataException("unknown or without a value: " + argument
                    + "; there are --device NAME, --op NAME, --seeds N and --seed S");
        }

        List<OpCase> cases() {
            List<OpCase> cases = new ArrayList<>();
            for (Op each : op.isEmpty() ? OpCases.ops() : List.of(Op.valueOf(op))) {
                cases.addAll(OpCases.of(each));
                cases.addAll(OpCases.random(each, seed, randomCases));
            }
            return cases;
        }
    }

    private OpConformance() {}

    /** Runs the comparison; see the class. */
    public static void main(String[] arguments) {
        Integer worker = CrashIsolatedRun.firstPiece(arguments);
        if (worker != null) {
            Options own = Options.parse(Arrays.asList(arguments).subList(2, arguments.length));
            OpComparison comparison =
                    new OpComparison(GgmlLibrary.open(), DeviceRegistry.load().device(own.device()));
            CrashIsolatedRun.work(new Cases(own.cases(), comparison), worker);
            return;
        }
        Options options = Options.parse(Arrays.asList(arguments));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // Asked for here too, so that an unknown name is reported before any process is started.
        Device device = DeviceRegistry.load().device(options.device());
        GgmlLibrary library = GgmlLibrary.open();
        out.println(device.name() + ": " + device.description());
        out.println(library);
        out.println(GgmlOpCheck.check(library) + " nodes are mirrored as ggml's own functions make them");
        OpTable table = new OpTable(out);
        compare(options, Map.of(), table);
        Path plain = library.cpuFile().resolveSibling("libggml-cpu-" + PLAIN_CPU + ".so");
        if (System.getProperty(GgmlFolder.CPU_PROPERTY) == null && Files.exists(plain)) {
            out.println("and " + plain.getFileName());
            compare(options, Map.of(GgmlFolder.CPU_PROPERTY, PLAIN_CPU), table);
        }
        table.print();
        System.exit(table.failed() == 0 ? 0 : 1);
    }

    private static void compare(Options options, Map<String, String> properties, OpTable table) {
        List<String> arguments = new ArrayList<>(List.of("--device", options.device()));
        arguments.addAll(List.of("--seeds", Integer.toString(options.randomCases())));
        arguments.addAll(List.of("--seed", Long.toString(options.seed())));
        if (!options.op().isEmpty()) {
            arguments.addAll(List.of("--op", options.op()));
        }
        boolean isScalar = options.device().equalsIgnoreCase(REFERENCE);
        CrashIsolatedRun.Speed speed = isScalar ? CrashIsolatedRun.Speed.QUICK_START : CrashIsolatedRun.Speed.VECTORS;
        CrashIsolatedRun.run(OpConformance.class, speed, properties, arguments, table);
    }

    /** What a worker does: one case after the other. */
    private record Cases(List<OpCase> cases, OpComparison comparison) implements CrashIsolatedRun.Work {

        @Override
        public int size() {
            return cases.size();
        }

        @Override
        public String name(int piece) {
            return cases.get(piece).op() + " " + cases.get(piece).name();
        }

        @Override
        public String run(int piece) {
            return comparison.compare(cases.get(piece)).toLine();
        }
    }
}
