package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.program.Launch;
import java.util.function.Consumer;

/** The arguments that kernels of products with units have in common, in the order of their parameters. */
final class UnitArguments {

    private UnitArguments() {}

    /** The rows of four matrices. */
    static void rows(Launch launch, UnitProduct product) {
        each(product, matrix -> launch.i32(matrix.rows()));
    }

    /** The addresses of four matrices. */
    static void weights(Launch launch, UnitProduct product) {
        each(product, matrix -> launch.pointer(matrix.address()));
    }

    /** Where the results of four matrices go, and what is added to them. */
    static void results(Launch launch, UnitProduct product) {
        each(product, matrix -> launch.argument(matrix.out()));
        each(product, matrix -> launch.argument(matrix.bias()));
    }

    private static void each(UnitProduct product, Consumer<UnitProduct.Matrix> action) {
        for (int i = 0; i < UnitProduct.MAX_MATRICES; i++) {
            action.accept(product.matrix(i));
        }
    }

    /** Without experts, one matrix is used. */
    static void experts(Launch launch, UnitProduct product) {
        product.experts()
                .ifPresentOrElse(
                        experts -> launch.argument(experts.ids())
                                .i32(experts.used())
                                .i64(experts.tokenStride())
                                .i64(experts.bytes())
                                .argument(experts.shares())
                                .i64(experts.shareStride()),
                        () -> launch.argument(Pointers.NONE)
                                .i32(1)
                                .i64(0)
                                .i64(0)
                                .argument(Pointers.NONE)
                                .i64(0));
    }
}
