package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Work that is submitted happens in that order, whether or not the caller gets ahead of it. */
final class OrderChecks {

    private OrderChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("order", device, reference)
                .add("set, compute and get follow each other without waiting in between", OrderChecks::rounds)
                .add("a get comes before the set after it", OrderChecks::getThenSet)
                .add("the parts of a graph follow each other", OrderChecks::parts)
                .add("synchronize waits for a graph", OrderChecks::synchronize)
                .add("synchronize with nothing to wait for returns", OrderChecks::idle)
                .add("each run sees the input it finds", OrderChecks::freshInput)
                .add("two backends work side by side", OrderChecks::sideBySide)
                .add("a copy from another backend waits for what that has to do", OrderChecks::copyWaitsForProducer)
                .add("a copy from another backend comes after what was submitted here", OrderChecks::copyWaitsForTarget)
                .add("a copy within a backend keeps the order", OrderChecks::copyWithin)
                .add("copies from and to a backend of the host arrive", OrderChecks::copyFromHost)
                .checks();
    }

    private static void rounds(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        List<float[]> inputs = new ArrayList<>();
        List<float[]> outputs = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            float[] input = sample.input(round);
            float[] output = sample.output();
            backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
            backend.computeAsync(sample.graph());
            backend.getAsync(sample.y(), 0, MemorySegment.ofArray(output));
            inputs.add(input);
            outputs.add(output);
        }
        backend.synchronize();
        for (int round = 0; round < 4; round++) {
            SampleGraph.verify(fixture.expected(sample, inputs.get(round)), outputs.get(round), "round " + round);
        }
    }

    private static void getThenSet(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(1 << 16);
        byte[] first = Bytes.random(1 << 16, 1);
        byte[] second = Bytes.random(1 << 16, 2);
        byte[] found = new byte[1 << 16];
        backend.setAsync(all, 0, MemorySegment.ofArray(first));
        backend.getAsync(all, 0, MemorySegment.ofArray(found));
        backend.setAsync(all, 0, MemorySegment.ofArray(second));
        backend.synchronize();
        Verify.bytes(first, found, "what was there before the last set");
        Verify.bytes(second, Bytes.read(all), "what is there after it");
    }

    private static void parts(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        float[] input = sample.input(5);
        float[] output = sample.output();
        BoundGraph bound = sample.graph();
        int nodes = bound.graph().nodeCount();
        backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        backend.computeAsync(bound.part(bound.graph().slice(0, nodes / 2)));
        backend.computeAsync(bound.part(bound.graph().slice(nodes / 2, nodes)));
        backend.getAsync(sample.y(), 0, MemorySegment.ofArray(output));
        backend.synchronize();
        SampleGraph.verify(fixture.expected(sample, input), output, "a graph in two parts");
    }

    private static void synchronize(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        float[] input = sample.input(6);
        backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        backend.computeAsync(sample.graph());
        backend.synchronize();
        SampleGraph.verify(
                fixture.expected(sample, input), CheckFixture.read(sample.y()), "the result after synchronize");
    }

    private static void idle(CheckFixture fixture) {
        Backend backend = fixture.open();
        backend.synchronize();
        backend.synchronize();
        Verify.that(!backend.isClosed(), "synchronize closed the backend");
    }

    private static void freshInput(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        for (int round = 0; round < 3; round++) {
            float[] input = sample.input(10 + round);
            SampleGraph.verify(fixture.expected(sample, input), sample.compute(backend, input), "run " + round);
        }
    }

    private static void sideBySide(CheckFixture fixture) {
        Backend first = fixture.open();
        Backend second = fixture.open();
        SampleGraph one = fixture.lasting();
        SampleGraph other = fixture.lasting();
        float[] firstOutput = one.output();
        float[] secondOutput = other.output();
        float[] firstInput = one.input(20);
        float[] secondInput = other.input(21);
        first.setAsync(one.x(), 0, MemorySegment.ofArray(firstInput));
        second.setAsync(other.x(), 0, MemorySegment.ofArray(secondInput));
        first.computeAsync(one.graph());
        second.computeAsync(other.graph());
        first.getAsync(one.y(), 0, MemorySegment.ofArray(firstOutput));
        second.getAsync(other.y(), 0, MemorySegment.ofArray(secondOutput));
        second.synchronize();
        first.synchronize();
        SampleGraph.verify(fixture.expected(one, firstInput), firstOutput, "the first backend");
        SampleGraph.verify(fixture.expected(other, secondInput), secondOutput, "the second backend");
    }

    private static BoundTensor like(CheckFixture fixture, BoundTensor model) {
        Tensor tensor =
                Tensor.leaf(Layout.contiguous(model.type(), model.shape())).named("copy");
        fixture.buffer(fixture.room(tensor)).place(tensor, 0);
        Buffer.of(tensor).clear((byte) 0x55);
        return BoundTensor.of(tensor);
    }

    private static void copyWaitsForProducer(CheckFixture fixture) {
        Backend producer = fixture.open();
        Backend consumer = fixture.open();
        SampleGraph sample = fixture.lasting();
        BoundTensor copy = like(fixture, sample.y());
        float[] input = sample.input(30);
        float[] output = sample.output();
        producer.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        producer.computeAsync(sample.graph());
        consumer.copyAsync(producer, sample.y(), copy);
        consumer.getAsync(copy, 0, MemorySegment.ofArray(output));
        consumer.synchronize();
        SampleGraph.verify(fixture.expected(sample, input), output, "the copy");
        producer.synchronize();
    }

    private static void copyWaitsForTarget(CheckFixture fixture) {
        Backend producer = fixture.open();
        Backend consumer = fixture.open();
        BoundTensor from = fixture.bytes(1 << 16);
        BoundTensor to = fixture.bytes(1 << 16);
        byte[] copied = Bytes.random(1 << 16, 1);
        byte[] before = Bytes.random(1 << 16, 2);
        byte[] found = new byte[1 << 16];
        producer.setAsync(from, 0, MemorySegment.ofArray(copied));
        consumer.setAsync(to, 0, MemorySegment.ofArray(before));
        consumer.getAsync(to, 0, MemorySegment.ofArray(found));
        consumer.copyAsync(producer, from, to);
        consumer.synchronize();
        Verify.bytes(before, found, "what was read before the copy");
        Verify.bytes(copied, Bytes.read(to), "what the copy left");
        producer.synchronize();
    }

    private static void copyWithin(CheckFixture fixture) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        BoundTensor copy = like(fixture, sample.y());
        float[] input = sample.input(31);
        float[] output = sample.output();
        backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        backend.computeAsync(sample.graph());
        backend.copyAsync(backend, sample.y(), copy);
        backend.getAsync(copy, 0, MemorySegment.ofArray(output));
        backend.synchronize();
        SampleGraph.verify(fixture.expected(sample, input), output, "the copy");
    }

    private static void copyFromHost(CheckFixture fixture) {
        Backend backend = fixture.open();
        try (Backend host = fixture.reference().open();
                Buffer near = fixture.reference().bufferType().allocate(4096)) {
            BoundTensor source = CheckFixture.over(near);
            BoundTensor far = fixture.bytes(4096);
            byte[] bytes = Bytes.random(4096, 3);
            Bytes.write(source, bytes);
            backend.copyAsync(host, source, far);
            backend.synchronize();
            Verify.bytes(bytes, Bytes.read(far), "from the host to the device");
            Arrays.fill(bytes, (byte) 4);
            backend.setAsync(far, 0, MemorySegment.ofArray(bytes));
            host.copyAsync(backend, far, source);
            host.synchronize();
            Verify.bytes(bytes, Bytes.read(source), "from the device to the host");
        }
    }
}
