package dev.stowage.bench.ops;

import dev.stowage.cli.text.TextTable;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.OptionalDouble;

/** Prints a line for each op as it is measured. */
final class DeviceOpTable {

    private static final TextTable TABLE = TextTable.aligned("llrrrrrr").withWidths(34, 4, 10, 8, 5, 9, 5, 6);
    private static final double MICROS = 1e6;
    private static final double BILLION = 1e9;

    private final PrintWriter out;
    private final Ceilings ceilings;

    DeviceOpTable(PrintWriter out, Ceilings ceilings) {
        this.out = out;
        this.ceilings = ceilings;
    }

    void head() {
        out.println("ceilings: " + number(ceilings.bytes(), BILLION, 0) + " GB/s, a copy; "
                + number(ceilings.flops(), BILLION, 0) + " GFLOP/s, a product with f16 weights");
        print("op", "type", "us", "GB/s", "%", "GFLOP/s", "%", "spread");
    }

    void add(DeviceOpResult result) {
        OptionalDouble bytes = result.bytesPerSecond();
        OptionalDouble flops = result.flopsPerSecond();
        print(
                result.opCase().name(),
                result.opCase().type().label(),
                number(seconds(result), 1 / MICROS, 2),
                number(bytes, BILLION, 1),
                number(ceilings.partOfBytes(bytes), 0.01, 1),
                number(flops, BILLION, 0),
                number(ceilings.partOfFlops(flops), 0.01, 1),
                result.times().isEmpty()
                        ? "-"
                        : String.format(
                                Locale.ROOT,
                                "%.0f %%",
                                100 * result.times().get().spread()));
        if (!result.remark().isEmpty()) {
            out.println("  " + result.remark());
            out.flush();
        }
    }

    private static OptionalDouble seconds(DeviceOpResult result) {
        return result.times().map(times -> OptionalDouble.of(times.median())).orElse(OptionalDouble.empty());
    }

    private static String number(OptionalDouble value, double unit, int decimals) {
        return value.isEmpty() ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", value.getAsDouble() / unit);
    }

    private void print(String... cells) {
        out.println(TABLE.line(cells));
        out.flush();
    }
}
