package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpRun;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The fixture of a check: a device, the reference beside it, and all resources of the device, which are closed at the
 * end in reverse order.
 */
final class CheckFixture implements AutoCloseable {

    private final Device device;
    private final Device reference;
    private final Deque<Runnable> taken = new ArrayDeque<>();

    CheckFixture(Device device, Device reference) {
        this.device = device;
        this.reference = reference;
    }

    Device device() {
        return device;
    }

    Device reference() {
        return reference;
    }

    /** A backend of the device. */
    Backend open() {
        Backend backend = device.open();
        afterwards(backend::close);
        return backend;
    }

    /** A buffer of the device. */
    Buffer buffer(long size) {
        Buffer buffer = device.bufferType().allocate(size);
        afterwards(buffer::close);
        return buffer;
    }

    /** The bytes from one tensor of that kind to the next, with both at aligned places. */
    long room(Tensor tensor) {
        long alignment = device.bufferType().alignment();
        return Math.ceilDiv(device.bufferType().allocationSize(tensor), alignment) * alignment;
    }

    /** A tensor of single bytes that fills a buffer. */
    static BoundTensor over(Buffer buffer) {
        Tensor all =
                Tensor.leaf(Layout.contiguous(ElementType.I8, buffer.size())).named("all bytes");
        buffer.place(all, 0);
        return BoundTensor.of(all);
    }

    /** A tensor of single bytes that fills a new buffer of the device. */
    BoundTensor bytes(long size) {
        return over(buffer(size));
    }

    /** An event of the device, where it has them. */
    Event event() {
        require(Capability.EVENTS);
        Event event = device.createEvent();
        afterwards(event::close);
        return event;
    }

    void require(Capability capability) {
        if (!device.capabilities().contains(capability)) {
            throw new CheckSkipped("the device has no " + capability);
        }
    }

    /** A program the device runs. */
    SampleOp program() {
        List<SampleOp> programs = SampleOp.on(device);
        if (programs.isEmpty()) {
            throw new CheckSkipped(
                    "the device runs none of the ops this is checked with: " + List.of(SampleOp.values()));
        }
        return programs.getFirst();
    }

    /**
     * A node the device does not claim to run, which reads {@code source}; an op that no op function makes, where the
     * device is as able as that.
     */
    Tensor impossible(Tensor source) {
        Op[] rare = {Op.OPT_STEP_SGD, Op.CROSS_ENTROPY_LOSS_BACK, Op.SILU_BACK, Op.SUM, Op.CUMSUM, Op.SIN};
        for (Op op : rare) {
            Tensor node = Tensor.builder(source.layout())
                    .op(op)
                    .sources(source, source, source)
                    .name("impossible")
                    .build();
            if (!device.supports(node).isSupported()) {
                return node;
            }
        }
        throw new CheckSkipped("the device claims every op that could be refused");
    }

    /** A graph that keeps the device busy for a moment. */
    SampleGraph lasting() {
        return kept(SampleGraph.lasting(program(), device.bufferType()));
    }

    /** A graph that is computed at once. */
    SampleGraph brief() {
        return kept(SampleGraph.brief(program(), device.bufferType()));
    }

    private SampleGraph kept(SampleGraph sample) {
        afterwards(sample::close);
        return sample;
    }

    /** What the reference makes of the same graph and input. */
    double[] expected(SampleGraph sample, float[] input) {
        try (SampleGraph same = sample.in(reference.bufferType());
                Backend backend = reference.open()) {
            return same.compute(backend, input);
        }
    }

    /** The elements of a tensor, read through its buffer. */
    static double[] read(BoundTensor tensor) {
        return OpRun.read(tensor);
    }

    /** Has something given back in the end. */
    void afterwards(Runnable close) {
        taken.push(close);
    }

    @Override
    public void close() {
        RuntimeException first = null;
        while (!taken.isEmpty()) {
            try {
                taken.pop().run();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
