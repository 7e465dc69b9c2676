package dev.stowage.cuda.op.strided;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;

/** Functions of two elements. The codes are those of {@code elementwise.cu}. */
public enum BinaryFunction {
    ADD(0),
    SUB(1),
    MUL(2),
    DIV(3);

    private final int code;

    BinaryFunction(int code) {
        this.code = code;
    }

    /** Computes {@code r = f(a, b)}, {@code b} repeated over {@code a}; all are f32, f16 or bf16. */
    public void launch(ViewArgument a, ViewArgument b, ViewArgument r, LaunchSink out) {
        boolean repeatsAll = b.layout().shape().isScalar();
        boolean isFlat = a.layout().isContiguous()
                && r.layout().isContiguous()
                && (repeatsAll
                        || (b.layout().isContiguous()
                                && b.layout().shape().equals(r.layout().shape())));
        if (isFlat) {
            launchRows(Views.flat(a), repeatsAll ? b : Views.flat(b), Views.flat(r), out);
        } else {
            launchRows(a, b, r, out);
        }
    }

    private void launchRows(ViewArgument a, ViewArgument b, ViewArgument r, LaunchSink out) {
        Shape shape = r.layout().shape();
        if (isByFour(a, b, r)) {
            out.add(RowGrid.launchByFour("binary_rows_f32", shape)
                    .i32(code)
                    .argument(a)
                    .argument(b)
                    .argument(r));
            return;
        }
        out.add(arguments(RowGrid.launch("binary_strided", shape), a, b, r));
    }

    /** Adds the function, the types and the tensors, as the kernels for any types take them. */
    public Launch arguments(Launch launch, ViewArgument a, ViewArgument b, ViewArgument r) {
        launch.i32(code);
        for (ViewArgument view : new ViewArgument[] {a, b, r}) {
            launch.i32(view.layout().type().code());
        }
        return launch.argument(a).argument(b).argument(r);
    }

    private static boolean isByFour(ViewArgument a, ViewArgument b, ViewArgument r) {
        long repeated = b.layout().shape().d0();
        return isF32(a)
                && isF32(b)
                && isF32(r)
                && Views.isAlignedToFour(a)
                && Views.isAlignedToFour(r)
                && (repeated == 1 || (repeated == r.layout().shape().d0() && Views.isAlignedToFour(b)));
    }

    private static boolean isF32(ViewArgument view) {
        return view.layout().type() == ElementType.F32;
    }
}
