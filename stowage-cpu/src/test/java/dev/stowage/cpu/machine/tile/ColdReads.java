package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Zmm.zmm;

import com.sun.management.ThreadMXBean;
import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.MachineCode;
import dev.stowage.cpu.machine.row.RowKernels;
import dev.stowage.cpu.machine.row.RowLevel;
import dev.stowage.cpu.machine.row.RowType;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * A main class that measures products of one and a few columns with weights that are in no cache, beside a loop that does
 * nothing but read the same bytes; the argument is a {@link TileLevel}. All take turns at slices of some MiB, on one thread, and its own time is what counts, so that
 * other work on the machine disturbs little.
 */
final class ColdReads {

    private static final long MEMORY = 384L << 20;
    private static final long SLICE = 4L << 20;
    private static final int ELEMENTS = 4096;
    private static final int ROUNDS = 100;
    private static final int WARM_UP = 5;
    private static final int READ_AT_ONCE = 512;
    private static final String READ = "read";

    private final Map<String, Work> all = new LinkedHashMap<>();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(MEMORY, 64);

    private interface Work {
        void run(long address);
    }

    private ColdReads(MachineCode read, TileKernels tiles, RowKernels rows) {
        memory.fill((byte) 0x11);
        all.put(READ, address -> read.call(address, SLICE / READ_AT_ONCE, 0, 0, 0, 0));
        for (TileType type : TileType.values()) {
            for (int columns : new int[] {1, 4, 8}) {
                all.put(type + " x " + columns, tiles(tiles, type, columns));
            }
        }
        for (RowType type : RowType.values()) {
            all.put(type + " x 1", rows(rows, type));
        }
    }

    public static void main(String[] arguments) {
        try (MachineCode read = read();
                TileKernels tiles = new TileKernels(level(arguments));
                RowKernels rows = new RowKernels(
                        RowLevel.valueOf(level(arguments) == TileLevel.AVX512_VNNI ? "AVX512" : "AVX2"))) {
            new ColdReads(read, tiles, rows).measure();
        }
    }

    private static TileLevel level(String[] arguments) {
        return arguments.length == 0 ? TileLevel.AVX512_VNNI : TileLevel.valueOf(arguments[0]);
    }

    private static MachineCode read() {
        Assembler code = new Assembler();
        Label next = new Label();
        code.bind(next);
        for (int i = 0; i < READ_AT_ONCE / 64; i++) {
            code.vpaddd(zmm(i % 4), zmm(i % 4), at(RDI, 64 * i));
        }
        code.add(RDI, READ_AT_ONCE);
        code.dec(RSI);
        code.jnz(next);
        code.vzeroupper();
        code.ret();
        return MachineCode.of(code);
    }

    private Work tiles(TileKernels kernels, TileType type, int columns) {
        TileKernels.Tile tile = kernels.tile(type, columns);
        long panel = arena.allocate(Panel.bytes(type, columns, ELEMENTS)).address();
        long to = arena.allocate(Panel.MOST_COLUMNS * 64L).address();
        long blocks = ELEMENTS / type.span();
        long group = blocks * type.blockBytes() * TileKernels.Tile.ROWS;
        return address -> {
            for (long at = 0; at + group <= SLICE; at += group) {
                tile.multiply(address + at, panel, to, 64, blocks);
            }
        };
    }

    private Work rows(RowKernels kernels, RowType type) {
        RowKernels.Dot dot = kernels.dot(type);
        long rowBytes = ElementType.valueOf(type.name()).rowBytes(ELEMENTS);
        long column = arena.allocate(4L * ELEMENTS, 64).address();
        long to = arena.allocate(4 * SLICE / rowBytes, 64).address();
        return address -> dot.multiply(address, rowBytes, SLICE / rowBytes, column, ELEMENTS, to);
    }

    private void measure() {
        ThreadMXBean clock = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Map<String, double[]> speeds = new LinkedHashMap<>();
        long offset = 0;
        for (int round = -WARM_UP; round < ROUNDS; round++) {
            for (Map.Entry<String, Work> each : all.entrySet()) {
                offset = (offset + SLICE) % MEMORY;
                long start = clock.getCurrentThreadCpuTime();
                each.getValue().run(memory.address() + offset);
                double speed = (double) SLICE / (clock.getCurrentThreadCpuTime() - start);
                if (round >= 0) {
                    speeds.computeIfAbsent(each.getKey(), _ -> new double[ROUNDS])[round] = speed;
                }
            }
        }
        double read = median(Objects.requireNonNull(speeds.get(READ)));
        speeds.forEach((name, of) -> System.out.printf(
                Locale.ROOT, "%-10s %5.1f GB/s, %.2f of a read%n", name, median(of), median(of) / read));
    }

    private static double median(double[] numbers) {
        double[] sorted = numbers.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
