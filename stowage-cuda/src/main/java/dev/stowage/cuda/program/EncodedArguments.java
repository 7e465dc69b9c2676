package dev.stowage.cuda.program;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.cuda.driver.Driver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The arguments of a launch as the driver takes them: an array of addresses, and after it the values, each aligned as
 * its type asks for.
 */
final class EncodedArguments {

    private static final int DIMENSIONS = 4;

    private final Driver driver;
    private final LaunchList.ScratchPlan plan;
    private final long scratchAddress;
    private final IndexReport report;

    EncodedArguments(Driver driver, LaunchList.ScratchPlan plan, long scratchAddress, IndexReport report) {
        this.driver = driver;
        this.plan = plan;
        this.scratchAddress = scratchAddress;
        this.report = report;
    }

    /** The arguments of a launch in memory of that arena. */
    MemorySegment encode(Launch launch, Arena arena) {
        var arguments = launch.arguments();
        MemorySegment addresses = arena.allocate(JAVA_LONG, Math.max(1, arguments.size()));
        for (int i = 0; i < arguments.size(); i++) {
            Launch.Argument argument = arguments.get(i);
            MemorySegment value =
                    arena.allocate(argument.type().bytes(), argument.type().alignment());
            write(argument, value);
            addresses.setAtIndex(JAVA_LONG, i, value.address());
        }
        return addresses;
    }

    private void write(Launch.Argument argument, MemorySegment value) {
        switch (argument) {
            case Launch.Scalar scalar -> {
                if (value.byteSize() == Integer.BYTES) {
                    value.set(JAVA_INT, 0, (int) scalar.bits());
                } else {
                    value.set(JAVA_LONG, 0, scalar.bits());
                }
            }
            case Launch.ScratchPointer pointer -> value.set(JAVA_LONG, 0, address(pointer));
            case Launch.ReportPointer _ -> value.set(JAVA_LONG, 0, report.address());
            case Launch.ReportSubject subject -> value.set(JAVA_LONG, 0, report.numberOf(subject.description()));
            case Launch.ViewArgument view -> {
                value.set(JAVA_LONG, 0, view.address());
                for (int d = 0; d < DIMENSIONS; d++) {
                    value.setAtIndex(JAVA_LONG, 1 + d, view.layout().shape().dim(d));
                    value.setAtIndex(
                            JAVA_LONG,
                            1 + DIMENSIONS + d,
                            view.layout().strides().stride(d));
                }
            }
            case Launch.MatrixArgument matrix ->
                driver.tensorMapEncode2d(
                        value,
                        base(matrix.base()),
                        matrix.columns(),
                        matrix.rows(),
                        matrix.rowBytes(),
                        matrix.boxColumns(),
                        matrix.boxRows());
            case Launch.TensorArgument tensor ->
                driver.tensorMapEncode(
                        value,
                        base(tensor.base()),
                        tensor.sizes().stream().mapToLong(Long::longValue).toArray(),
                        tensor.strides().stream().mapToLong(Long::longValue).toArray(),
                        tensor.box().stream().mapToInt(Integer::intValue).toArray());
        }
    }

    private long base(Launch.Argument argument) {
        return switch (argument) {
            case Launch.Scalar scalar -> scalar.bits();
            case Launch.ScratchPointer pointer -> address(pointer);
            case Launch.ViewArgument view -> view.address();
            case Launch.MatrixArgument matrix -> base(matrix.base());
            case Launch.TensorArgument tensor -> base(tensor.base());
            case Launch.ReportPointer _, Launch.ReportSubject _ ->
                throw new IllegalArgumentException("the copy engine does not read reports");
        };
    }

    long address(Launch.ScratchPointer pointer) {
        return address(pointer.scratch()) + pointer.offset();
    }

    long address(Scratch scratch) {
        Long offset = plan.offsets().get(scratch);
        if (offset == null) {
            throw new IllegalStateException("scratch memory of another program");
        }
        return scratchAddress + offset;
    }
}
