package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;

/**
 * Something simple that a device can compute, so that streams, events and prepared graphs can be checked on devices
 * that run only a few ops: one step that computes from an f32 matrix another of the same shape.
 */
enum SampleOp {
    ADD {
        @Override
        Tensor step(GraphBuilder b, Tensor x, Tensor c) {
            return b.add(x, c);
        }
    },
    SCALE {
        @Override
        Tensor step(GraphBuilder b, Tensor x, Tensor c) {
            return b.scale(x, 1.25f);
        }
    },
    MUL {
        @Override
        Tensor step(GraphBuilder b, Tensor x, Tensor c) {
            return b.mul(x, c);
        }
    },
    MUL_MAT {
        @Override
        Tensor step(GraphBuilder b, Tensor x, Tensor c) {
            return b.mulMat(b.view2d(c, WIDTH, WIDTH, c.stride(1), 0), x);
        }
    },
    SUB {
        @Override
        Tensor step(GraphBuilder b, Tensor x, Tensor c) {
            return b.sub(x, c);
        }
    },
    NEG {
        @Override
        Tensor step(GraphBuilder b, Tensor x, Tensor c) {
            return b.neg(x);
        }
    },
    SILU {
        @Override
        Tensor step(GraphBuilder b, Tensor x, Tensor c) {
            return b.silu(x);
        }
    },
    RMS_NORM {
        @Override
        Tensor step(GraphBuilder b, Tensor x, Tensor c) {
            return b.rmsNorm(x, 1e-6f);
        }
    },
    CONT {
        @Override
        Tensor step(GraphBuilder b, Tensor x, Tensor c) {
            return b.cont(x);
        }
    },
    CPY {
        @Override
        Tensor step(GraphBuilder b, Tensor x, Tensor c) {
            return b.cast(x, ElementType.F32);
        }
    };

    /** The length of the rows, and their least number. */
    static final int WIDTH = 64;

    /** One step on {@code x}, with another matrix of the same shape. */
    abstract Tensor step(GraphBuilder b, Tensor x, Tensor c);

    /** The programs a device can run; none if it runs no op among them. */
    static List<SampleOp> on(Device device) {
        return List.of(values()).stream()
                .filter(program -> {
                    GraphBuilder b = new GraphBuilder();
                    Tensor x = b.tensor(ElementType.F32, WIDTH, WIDTH);
                    return device.supports(program.step(b, x, b.duplicate(x))).isSupported();
                })
                .toList();
    }
}
