package dev.stowage.cuda.memory.unit;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.kernel.KernelLibrary;
import dev.stowage.cuda.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Turns whole rows of weights into units and back. Rows are counted over all matrices of a tensor, and are stored without
 * gaps, as the tensor has them, in device memory that is aligned to 16 bytes.
 */
public final class UnitPacking {

    private static final int THREADS = 256;
    private static final int MAX_BLOCKS = 4096;

    private UnitPacking() {}

    /** A launch that stores rows in units. */
    public static Launch pack(UnitLayout layout, long units, long source, long firstRow, long rows) {
        return rows("unit_pack_" + layout.format().suffix(), layout, source, units, firstRow, rows);
    }

    /** A launch that reads rows from units. */
    public static Launch unpack(UnitLayout layout, long units, long target, long firstRow, long rows) {
        return rows("unit_unpack_" + layout.format().suffix(), layout, units, target, firstRow, rows);
    }

    private static Launch rows(String kernel, UnitLayout layout, long from, long to, long firstRow, long rows) {
        long lanes = layout.k() / layout.format().laneWeights();
        return Launch.of(kernel)
                .grid(Math.clamp(Math.ceilDiv(rows * lanes, UnitFormat.ROWS * THREADS), 1, MAX_BLOCKS))
                .block(THREADS)
                .pointer(from)
                .pointer(to)
                .i64(firstRow)
                .i64(rows)
                .i32(layout.k())
                .i64(layout.rows());
    }

    /** Puts one of these launches into a stream; does not wait. */
    public static void enqueue(
            Driver driver, Driver.Context context, KernelLibrary kernels, Driver.Stream stream, Launch launch) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment addresses =
                    arena.allocate(JAVA_LONG, launch.arguments().size());
            for (int i = 0; i < launch.arguments().size(); i++) {
                if (!(launch.arguments().get(i) instanceof Launch.Scalar scalar)) {
                    throw new IllegalArgumentException(launch.kernel() + " has an argument that is not a number");
                }
                MemorySegment value = arena.allocate(JAVA_LONG);
                if (scalar.type().bytes() == Integer.BYTES) {
                    value.set(JAVA_INT, 0, (int) scalar.bits());
                } else {
                    value.set(JAVA_LONG, 0, scalar.bits());
                }
                addresses.setAtIndex(JAVA_LONG, i, value.address());
            }
            driver.launchKernel(
                    context,
                    kernels.function(launch.kernel(), launch.sharedBytes()),
                    launch.grid(),
                    launch.block(),
                    launch.sharedBytes(),
                    stream,
                    addresses,
                    1,
                    false);
        }
    }
}
