package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.program.Launch;
import java.util.function.Consumer;

/** The arguments that kernels of products with units have in common, in the order of their parameters. */
final class UnitArguments {

    private UnitArguments() {}

    /** Addresses, results, biases and rows of four matrices. */
    static void matrices(Launch launch, UnitProduct product) {
        each(product, matrix -> launch.pointer(matrix.address()));
        each(product, matrix -> launch.argument(matrix.out()));
        each(product, matrix -> launch.argument(matrix.bias()));
        each(product, matrix -> launch.i32(matrix.rows()));
    }

    private static void each(UnitProduct product, Consumer<UnitProduct.Matrix> action) {
        for (int i = 0; i < UnitProduct.MAX_MATRICES; i++) {
            action.accept(product.matrix(i));
        }
    }

    static void activations(Launch launch, Activations activations) {
        launch.argument(activations.x())
                .i64(activations.tokenStride())
                .i64(activations.expertStride())
                .argument(activations.norm())
                .argument(activations.squares())
                .f32(activations.epsilon());
    }

    /** Without experts, one matrix is used. */
    static void experts(Launch launch, UnitProduct product) {
        product.experts()
                .ifPresentOrElse(
                        experts -> launch.argument(experts.ids())
                                .i32(experts.used())
                                .i64(experts.tokenStride())
                                .i64(experts.bytes()),
                        () -> launch.argument(Pointers.NONE).i32(1).i64(0).i64(0));
    }
}
