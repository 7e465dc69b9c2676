package dev.stowage.testkit.simulated;

import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A small computation over two devices that makes calls of every kind: buffers, events, transfers at once and in
 * streams, nodes in place and on views, copies between the devices both ways.
 */
final class Pipeline implements AutoCloseable {

    private static final int COUNT = 6;

    private final GraphBuilder onFirst = new GraphBuilder();
    private final Tensor x = onFirst.input("x", ElementType.F32, COUNT);
    private final Tensor w = onFirst.weight("w", ElementType.F32, COUNT);
    private final Tensor half =
            onFirst.scaleInplace(onFirst.mul(x, w).named("product"), 0.5f).named("half");
    private final Tensor back = onFirst.input("back", ElementType.F32, COUNT);
    private final Graph firstGraph = onFirst.build(half);

    private final GraphBuilder onSecond = new GraphBuilder();
    private final Tensor brought = onSecond.input("brought", ElementType.F32, COUNT);
    private final Tensor tail =
            onSecond.view1d(brought, COUNT / 2, COUNT / 2 * Float.BYTES).named("tail");
    private final Tensor result =
            onSecond.add(brought, onSecond.sqr(tail).named("square")).named("result");
    private final Graph secondGraph = onSecond.build(result);

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Backend first;
    private final Backend second;
    private final Event event;

    Pipeline(SimulatedDevice firstDevice, SimulatedDevice secondDevice) {
        try {
            keep(Allocations.allocateAll(onFirst, firstDevice.bufferType()));
            keep(Allocations.allocateAll(onSecond, secondDevice.bufferType()));
            event = keep(firstDevice.createEvent());
            first = keep(firstDevice.open());
            second = keep(secondDevice.open());
        } catch (RuntimeException e) {
            closeAll(e);
            throw e;
        }
    }

    private <T extends AutoCloseable> T keep(T opened) {
        open.add(opened);
        return opened;
    }

    /** Computes, and returns the result three times: read in the stream, after it, and by way of the first device. */
    List<float[]> run(float[] values, float[] weights) {
        float[] read = new float[COUNT];
        TensorData.setFloats(w, weights);
        first.setAsync(BoundTensor.of(x), 0, MemorySegment.ofArray(values));
        first.computeAsync(BoundGraph.of(firstGraph));
        first.record(event);
        second.await(event);
        second.copyAsync(first, BoundTensor.of(half), BoundTensor.of(brought));
        second.computeAsync(BoundGraph.of(secondGraph));
        second.getAsync(BoundTensor.of(result), 0, MemorySegment.ofArray(read));
        second.synchronize();
        first.synchronize();
        Buffer.copy(result, back);
        return List.of(read, TensorData.getFloats(result), TensorData.getFloats(back));
    }

    /** What the reference makes of it. */
    static float[] expected(float[] values, float[] weights) {
        GraphBuilder builder = new GraphBuilder();
        Tensor x = builder.input("x", ElementType.F32, COUNT);
        Tensor w = builder.weight("w", ElementType.F32, COUNT);
        Tensor half = builder.scale(builder.mul(x, w), 0.5f);
        Tensor tail = builder.view1d(half, COUNT / 2, COUNT / 2 * Float.BYTES);
        Tensor result = builder.add(half, builder.sqr(tail));
        try (Buffer buffer = Allocations.allocateAll(builder, HostBufferType.standard());
                Backend backend = Parts.reference().open()) {
            TensorData.setFloats(x, values);
            TensorData.setFloats(w, weights);
            backend.compute(builder.build(result));
            return buffer.isClosed() ? new float[0] : TensorData.getFloats(result);
        }
    }

    /** Waits for both devices until neither has a failure left to report; returns the failures. */
    List<StowageException> drainFailures() {
        List<StowageException> failures = new ArrayList<>();
        for (Backend backend : List.of(second, first)) {
            try {
                backend.synchronize();
            } catch (StowageException e) {
                failures.add(e);
            }
        }
        return failures;
    }

    @Override
    public void close() {
        StowageExceptions failures = new StowageExceptions();
        closeAll(failures);
        if (failures.getSuppressed().length > 0) {
            throw failures;
        }
    }

    private void closeAll(Exception because) {
        for (AutoCloseable each : open.reversed()) {
            try {
                each.close();
            } catch (Exception e) {
                because.addSuppressed(e);
            }
        }
    }

    /** Carries what went wrong when everything was closed. */
    private static final class StowageExceptions extends RuntimeException {}
}
