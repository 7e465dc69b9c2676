package dev.stowage.cuda.memory.unit;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.cuda.driver.Dim3;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.kernel.KernelLibrary;
import dev.stowage.cuda.kernel.KernelSignature;
import dev.stowage.cuda.kernel.ParameterType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Turns whole rows of weights into units and back. Rows are counted over all matrices of a tensor, and are stored without
 * gaps, as the tensor has them, in device memory that is aligned to 16 bytes.
 *
 * @param kernel the name of the kernel
 * @param layout of the tensor
 * @param from the address that is read
 * @param to the address that is written
 * @param firstRow of the rows that are stored outside units
 * @param rows how many there are
 */
public record UnitPacking(String kernel, UnitLayout layout, long from, long to, long firstRow, long rows) {

    private static final int THREADS = 256;
    private static final int MAX_BLOCKS = 4096;

    /** A launch that stores rows in units. */
    public static UnitPacking pack(UnitLayout layout, long units, long source, long firstRow, long rows) {
        return new UnitPacking("unit_pack_" + layout.format().suffix(), layout, source, units, firstRow, rows);
    }

    /** A launch that reads rows from units. */
    public static UnitPacking unpack(UnitLayout layout, long units, long target, long firstRow, long rows) {
        return new UnitPacking("unit_unpack_" + layout.format().suffix(), layout, units, target, firstRow, rows);
    }

    private Dim3 grid() {
        long lanes = layout.k() / layout.format().laneWeights();
        return Dim3.of(Math.clamp(Math.ceilDiv(rows * lanes, UnitFormat.ROWS * THREADS), 1, MAX_BLOCKS));
    }

    /** Puts the launch into a stream; does not wait. */
    public void enqueue(Driver driver, Driver.Context context, KernelLibrary kernels, Driver.Stream stream) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment arguments = arguments(kernels.signature(kernel), arena);
            driver.launchKernel(
                    context, kernels.function(kernel, 0), grid(), Dim3.of(THREADS), 0, stream, arguments, 1, false);
        }
    }

    private MemorySegment arguments(KernelSignature signature, Arena arena) {
        long[] values = {from, to, firstRow, rows, layout.k(), layout.rows()};
        List<ParameterType> types = signature.parameters();
        if (types.size() != values.length) {
            throw new IllegalArgumentException(
                    "kernel " + kernel + " takes " + types + " and was given " + values.length + " arguments");
        }
        MemorySegment addresses = arena.allocate(JAVA_LONG, values.length);
        for (int i = 0; i < values.length; i++) {
            MemorySegment value = switch (types.get(i)) {
                case POINTER, I64 -> arena.allocateFrom(JAVA_LONG, values[i]);
                case I32 -> arena.allocateFrom(JAVA_INT, Math.toIntExact(values[i]));
                case F32, VIEW, TENSOR_MAP ->
                    throw new IllegalArgumentException(
                            "kernel " + kernel + " takes " + types + " and was given integers");
            };
            addresses.setAtIndex(JAVA_LONG, i, value.address());
        }
        return addresses;
    }
}
