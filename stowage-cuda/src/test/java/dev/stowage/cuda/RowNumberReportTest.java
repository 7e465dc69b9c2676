package dev.stowage.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cuda.recording.KernelBody;
import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** A number that a table has no row for fails the run when it is waited for. */
class RowNumberReportTest {

    private static final int ROWS = 10;
    private static final int REPORT = 13;

    private final RecordingDriver driver = new RecordingDriver(1 << 24);
    private final GraphBuilder b = new GraphBuilder();
    private final Tensor numbers = b.input("numbers", ElementType.I32, 3);
    private final Tensor rows = b.getRows(b.input("table", ElementType.F32, 4, ROWS), numbers)
            .asOutput()
            .named("rows");

    RowNumberReportTest() {
        driver.body("check_row_numbers", this::bind);
    }

    /** What the kernel does with its first list, of i32 without gaps. */
    @SuppressWarnings("restricted") // lists and the report are addresses
    private KernelBody.Bound bind(MemorySegment parameters) {
        long list = number(parameters, 0);
        long count = argument(parameters, 0, 16).getAtIndex(JAVA_LONG, 1);
        long limit = number(parameters, 1);
        long subject = number(parameters, 2);
        MemorySegment report =
                MemorySegment.ofAddress(number(parameters, REPORT)).reinterpret(3 * Long.BYTES);
        MemorySegment listed = MemorySegment.ofAddress(list).reinterpret(count * Integer.BYTES);
        return new KernelBody.Bound(
                () -> {
                    for (long i = 0; i < count; i++) {
                        int number = listed.getAtIndex(JAVA_INT, i);
                        if ((number < 0 || number >= limit) && report.getAtIndex(JAVA_LONG, 0) == 0) {
                            report.setAtIndex(JAVA_LONG, 0, subject + 1);
                            report.setAtIndex(JAVA_LONG, 1, number);
                            report.setAtIndex(JAVA_LONG, 2, limit);
                        }
                    }
                },
                list,
                count * Integer.BYTES);
    }

    private static long number(MemorySegment parameters, int index) {
        return argument(parameters, index, Long.BYTES).get(JAVA_LONG, 0);
    }

    @SuppressWarnings("restricted") // arguments are addresses
    private static MemorySegment argument(MemorySegment parameters, int index, long bytes) {
        return parameters.getAtIndex(ADDRESS, index).reinterpret(bytes);
    }

    @Test
    void itIsReportedOnceWithTheNodeAndTheNumber() {
        try (CudaProvider provider = new CudaProvider(() -> driver, StandardCompiler.INSTANCE)) {
            Device device = provider.devices().getFirst();
            try (GraphAllocator allocator = GraphAllocator.on(device.bufferType());
                    Backend backend = device.open()) {
                BoundGraph bound = allocator.bind(b.build(rows));
                try (PreparedGraph prepared = backend.prepare(bound)) {
                    for (int run = 0; run < 3; run++) {
                        set(bound, 0, ROWS, 2);
                        prepared.computeAsync();
                        assertThatThrownBy(backend::synchronize)
                                .isInstanceOf(DeviceException.class)
                                .hasMessageContainingAll("cuda0", "GET_ROWS", "'rows'", "row 10", "0 to 9");
                        backend.synchronize();
                        set(bound, 0, ROWS - 1, 2);
                        backend.compute(prepared);
                    }
                }
                set(bound, -1, 0, 0);
                assertThatThrownBy(() -> backend.compute(bound)).hasMessageContaining("row -1");
                assertThat(device.lossCause()).isEmpty();
            }
        }
        assertThat(driver.leaks()).isEmpty();
    }

    private void set(BoundGraph bound, int... values) {
        bound.tensor(numbers).set(0, MemorySegment.ofArray(values));
    }
}
