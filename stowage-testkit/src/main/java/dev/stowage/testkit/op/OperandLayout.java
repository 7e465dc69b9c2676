package dev.stowage.testkit.op;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.function.BiFunction;

/**
 * How the elements of an operand are stored. Every layout gives an operand of the shape that was asked for; all but
 * the first are views of an input that is larger, or has its dimensions in another order.
 */
enum OperandLayout {
    /** Without gaps. */
    PLAIN {
        @Override
        Tensor of(GraphBuilder b, BiFunction<ElementType, Shape, Tensor> leaf, ElementType type, Shape shape) {
            return leaf.apply(type, shape);
        }
    },
    /** A piece of a larger one: begins after its first byte, with gaps between rows and between matrices. */
    CUT {
        @Override
        Tensor of(GraphBuilder b, BiFunction<ElementType, Shape, Tensor> leaf, ElementType type, Shape shape) {
            int block = type.blockSize();
            Tensor whole =
                    leaf.apply(type, new Shape(shape.d0() + 3L * block, shape.d1() + 2, shape.d2() + 1, shape.d3()));
            long offset = whole.stride(1) + 2L * type.bytesPerBlock();
            return b.view4d(
                    whole,
                    shape.d0(),
                    shape.d1(),
                    shape.d2(),
                    shape.d3(),
                    whole.stride(1),
                    whole.stride(2),
                    whole.stride(3),
                    offset);
        }
    },
    /** Every second row of one with twice as many, beginning with its second: rows at equal distances. */
    SPACED {
        @Override
        Tensor of(GraphBuilder b, BiFunction<ElementType, Shape, Tensor> leaf, ElementType type, Shape shape) {
            Tensor whole = leaf.apply(type, shape.with(1, 2 * shape.d1()));
            long stride1 = 2 * whole.stride(1);
            return b.view4d(
                    whole,
                    shape.d0(),
                    shape.d1(),
                    shape.d2(),
                    shape.d3(),
                    stride1,
                    stride1 * shape.d1(),
                    stride1 * shape.d1() * shape.d2(),
                    whole.stride(1));
        }
    },
    /** Dimensions 1 and 2 exchanged in memory, as heads and tokens are. */
    PERMUTED {
        @Override
        Tensor of(GraphBuilder b, BiFunction<ElementType, Shape, Tensor> leaf, ElementType type, Shape shape) {
            return b.permute(leaf.apply(type, new Shape(shape.d0(), shape.d2(), shape.d1(), shape.d3())), 0, 2, 1, 3);
        }
    },
    /** Rows and columns exchanged in memory: the elements of a row do not follow each other. */
    TRANSPOSED {
        @Override
        Tensor of(GraphBuilder b, BiFunction<ElementType, Shape, Tensor> leaf, ElementType type, Shape shape) {
            return b.transpose(leaf.apply(type, new Shape(shape.d1(), shape.d0(), shape.d2(), shape.d3())));
        }
    };

    /** An operand of that shape, made from one input. */
    abstract Tensor of(GraphBuilder b, BiFunction<ElementType, Shape, Tensor> leaf, ElementType type, Shape shape);
}
