package dev.stowage.bench.ops;

import dev.stowage.tensor.ElementType;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * What a device does at best, measured before its ops: the bytes of a large copy, read and written, and the work of a large
 * product of f16 weights. Ops that only read, or compute in eight bits, can be above.
 *
 * @param bytes a second; empty where the device has no such copy
 * @param flops a second; empty where the device has no such product
 */
record Ceilings(OptionalDouble bytes, OptionalDouble flops) {

    /**
     * The sizes that they are measured with.
     *
     * @param copyBytes what is copied
     * @param firstProduct rows and columns of the first product; each next one is twice as large
     * @param lastProduct rows and columns of the largest product
     * @param enough seconds after which a product is large enough
     */
    record Sizes(long copyBytes, int firstProduct, int lastProduct, double enough) {

        /** Sizes for a device with so much free memory. */
        static Sizes of(long freeBytes) {
            return new Sizes(Math.clamp(freeBytes / 16, 1L << 20, 1L << 30), 512, 8192, 0.02);
        }
    }

    /** Measures them. */
    static Ceilings measure(Sizes sizes, Function<DeviceOpCase, DeviceOpResult> run) {
        DeviceOpResult copied = run.apply(copy(sizes.copyBytes()));
        OptionalDouble flops = OptionalDouble.empty();
        for (int size = sizes.firstProduct(); size <= sizes.lastProduct(); size *= 2) {
            Optional<RoundTimes> times = run.apply(DeviceOpCases.product(ElementType.F16, size, size, size))
                    .times();
            if (times.isEmpty()) {
                break;
            }
            double seconds = times.get().median();
            flops = OptionalDouble.of(Math.max(flops.orElse(0), 2.0 * size * size * size / seconds));
            if (seconds > sizes.enough()) {
                break;
            }
        }
        return new Ceilings(copied.bytesPerSecond(), flops);
    }

    private static DeviceOpCase copy(long bytes) {
        long rows = Math.max(1, bytes / (Float.BYTES * Llama8B.WIDTH));
        return new DeviceOpCase(
                "cpy",
                rows + " rows",
                ElementType.F32,
                0,
                false,
                b -> () -> b.ops().cast(b.input(ElementType.F32, Llama8B.WIDTH, rows), ElementType.F32));
    }

    /** Which part of the bandwidth that is. */
    OptionalDouble partOfBytes(OptionalDouble perSecond) {
        return part(perSecond, bytes);
    }

    /** Which part of the arithmetic that is. */
    OptionalDouble partOfFlops(OptionalDouble perSecond) {
        return part(perSecond, flops);
    }

    private static OptionalDouble part(OptionalDouble measured, OptionalDouble ceiling) {
        return measured.isPresent() && ceiling.isPresent()
                ? OptionalDouble.of(measured.getAsDouble() / ceiling.getAsDouble())
                : OptionalDouble.empty();
    }
}
