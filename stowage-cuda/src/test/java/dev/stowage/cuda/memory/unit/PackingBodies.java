package dev.stowage.cuda.memory.unit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.cuda.recording.KernelBody;
import dev.stowage.cuda.recording.RecordingDriver;
import java.lang.foreign.MemorySegment;

/** The kernels that pack and unpack units, by {@link UnitModel}, for a driver without a GPU. */
public final class PackingBodies {

    private PackingBodies() {}

    /** Has that driver run them. */
    public static RecordingDriver addTo(RecordingDriver driver) {
        for (UnitFormat format : UnitFormat.values()) {
            driver.body("unit_pack_" + format.suffix(), parameters -> body(driver, format, parameters, true));
            driver.body("unit_unpack_" + format.suffix(), parameters -> body(driver, format, parameters, false));
        }
        return driver;
    }

    private static KernelBody.Bound body(
            RecordingDriver driver, UnitFormat format, MemorySegment parameters, boolean isPack) {
        long from = number(parameters, 0);
        long to = number(parameters, 1);
        long first = number(parameters, 2);
        long count = number(parameters, 3);
        int k = argument(parameters, 4).get(JAVA_INT, 0);
        long rows = number(parameters, 5);
        UnitLayout layout = new UnitLayout(format, k, rows, (first + count - 1) / rows + 1);
        long plain = isPack ? from : to;
        long units = isPack ? to : from;
        long plainBytes = count * layout.rowBytes();
        Runnable work = () -> {
            byte[] inUnits = bytes(driver, units, layout.allocationSize());
            byte[] inRows = bytes(driver, plain, plainBytes);
            if (isPack) {
                new UnitModel(layout).pack(inRows, inUnits, first, count);
                MemorySegment.copy(inUnits, 0, driver.deviceMemory(units), JAVA_BYTE, 0, inUnits.length);
            } else {
                new UnitModel(layout).unpack(inUnits, inRows, first, count);
                MemorySegment.copy(inRows, 0, driver.deviceMemory(plain), JAVA_BYTE, 0, inRows.length);
            }
        };
        return new KernelBody.Bound(work, plain, plainBytes, units, layout.allocationSize());
    }

    private static byte[] bytes(RecordingDriver driver, long address, long size) {
        return driver.deviceMemory(address).asSlice(0, size).toArray(JAVA_BYTE);
    }

    private static long number(MemorySegment parameters, int index) {
        return argument(parameters, index).get(JAVA_LONG, 0);
    }

    @SuppressWarnings("restricted") // arguments are addresses
    private static MemorySegment argument(MemorySegment parameters, int index) {
        return parameters.getAtIndex(ADDRESS, index).reinterpret(Long.BYTES);
    }
}
