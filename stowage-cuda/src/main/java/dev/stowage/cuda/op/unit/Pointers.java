package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.kernel.ParameterType;
import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.memory.BoundTensor;

/** Pointers as arguments of launches: to tensors, to scratch memory, to nothing. */
public final class Pointers {

    /** Points to nothing: the kernel leaves out what it would be for. */
    public static final Launch.Argument NONE = of(0);

    private Pointers() {}

    public static Launch.Argument of(long address) {
        return new Launch.Scalar(ParameterType.POINTER, address);
    }

    public static Launch.Argument of(BoundTensor tensor) {
        return of(DeviceAddress.of(tensor));
    }

    public static Launch.Argument of(Scratch scratch) {
        return new Launch.ScratchPointer(scratch, 0);
    }

    /** The same pointer some bytes further. */
    static Launch.Argument plus(Launch.Argument pointer, long bytes) {
        return switch (pointer) {
            case Launch.Scalar scalar -> scalar.bits() == 0 ? scalar : of(scalar.bits() + bytes);
            case Launch.ScratchPointer scratch ->
                new Launch.ScratchPointer(scratch.scratch(), scratch.offset() + bytes);
            case Launch.ViewArgument _,
                    Launch.MatrixArgument _,
                    Launch.TensorArgument _,
                    Launch.ReportPointer _,
                    Launch.ReportSubject _ -> throw new IllegalArgumentException("not a pointer: " + pointer);
        };
    }
}
