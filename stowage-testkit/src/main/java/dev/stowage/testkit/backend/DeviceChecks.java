package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;

/** What a device says about itself, and whether it is true. */
final class DeviceChecks {

    private static final int SIZE = 4096;

    private DeviceChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("device", device, reference)
                .add("has a name and a description", DeviceChecks::names)
                .add("has no more free memory than memory", DeviceChecks::memory)
                .add("always has the same buffer type and reads it", DeviceChecks::bufferType)
                .add("supports leaves and views", DeviceChecks::views)
                .add("opens backends that are its own", DeviceChecks::backends)
                .add("has a host buffer type exactly if it says so", DeviceChecks::hostBufferType)
                .add("uses host memory in place exactly if it says so", DeviceChecks::bufferOver)
                .add("makes events exactly if it says so", DeviceChecks::events)
                .add("answers for a whole graph what it answers for each node", DeviceChecks::bulkQueries)
                .add("has the same sizes in bulk, and initialises in bulk", DeviceChecks::bulkMemory)
                .checks();
    }

    private static void names(CheckFixture fixture) {
        Verify.that(!fixture.device().name().isBlank(), "the name is blank");
        Verify.that(!fixture.device().description().isBlank(), "the description is blank");
    }

    private static void memory(CheckFixture fixture) {
        DeviceMemory memory = fixture.device().memory();
        Verify.that(memory.free() >= 0 && memory.free() <= memory.total(), memory + " is impossible");
    }

    @SuppressWarnings("ReferenceEquality") // one object, always the same, is what the interface promises
    private static void bufferType(CheckFixture fixture) {
        BufferType type = fixture.device().bufferType();
        Verify.that(type == fixture.device().bufferType(), "bufferType() gives another object each time");
        Verify.that(
                fixture.device().supportsBufferType(type),
                "it does not support its own buffer type '" + type.name() + "'");
        Verify.that(
                type.alignment() > 0 && Long.bitCount(type.alignment()) == 1,
                "the alignment " + type.alignment() + " is not a power of two");
        for (ElementType element : ElementType.values()) {
            Tensor tensor = new GraphBuilder().tensor(element, 3L * element.blockSize(), 5);
            Verify.that(
                    type.allocationSize(tensor) >= tensor.byteSize(),
                    "allocationSize of " + tensor.describe() + " is " + type.allocationSize(tensor) + ", less than its "
                            + tensor.byteSize() + " bytes");
        }
    }

    private static void views(CheckFixture fixture) {
        GraphBuilder b = new GraphBuilder();
        Tensor a = b.input("a", ElementType.F32, 8, 6);
        for (Tensor tensor :
                List.of(a, b.transpose(a), b.reshape(a, 48), b.permute(a, 1, 0, 2, 3), b.view1d(a, 8, 32))) {
            Verify.that(
                    fixture.device().supports(tensor).isSupported(),
                    tensor.describe() + " is refused: "
                            + fixture.device().supports(tensor).reason());
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very device is meant
    private static void backends(CheckFixture fixture) {
        Backend first = fixture.open();
        Backend second = fixture.open();
        Verify.that(first != second && first.id() != second.id(), "two backends are one");
        Verify.that(
                first.device() == fixture.device(),
                "the backend is of device '" + first.device().name() + "'");
        Verify.that(!first.isClosed(), "a backend is closed when it is opened");
    }

    private static void hostBufferType(CheckFixture fixture) {
        boolean has = fixture.device().capabilities().contains(Capability.HOST_BUFFER);
        Verify.that(
                has == fixture.device().hostBufferType().isPresent(),
                "HOST_BUFFER is " + has + " and the type is " + fixture.device().hostBufferType());
        fixture.require(Capability.HOST_BUFFER);
        BufferType type = fixture.device().hostBufferType().orElseThrow();
        try (Buffer buffer = type.allocate(SIZE)) {
            Verify.that(buffer.isHost() && buffer.hasSegment(), "the host cannot reach memory of " + type.name());
            byte[] bytes = Bytes.random(SIZE, 1);
            MemorySegment.copy(bytes, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, SIZE);
            Verify.bytes(bytes, Bytes.read(CheckFixture.over(buffer)), "written in place, read through the buffer");
        }
    }

    private static void bufferOver(CheckFixture fixture) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment segment = arena.allocate(
                    SIZE, Math.max(64, fixture.device().bufferType().alignment()));
            if (!fixture.device().capabilities().contains(Capability.BUFFER_FROM_HOST)) {
                Verify.refused(
                        DeviceException.class,
                        "bufferOver without BUFFER_FROM_HOST",
                        () -> fixture.device().bufferOver(segment).close());
                return;
            }
            byte[] bytes = Bytes.random(SIZE, 2);
            try (Buffer buffer = fixture.device().bufferOver(segment)) {
                BoundTensor all = CheckFixture.over(buffer);
                MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, SIZE);
                Verify.bytes(bytes, Bytes.read(all), "written by the owner, read through the buffer");
                byte[] others = Bytes.random(SIZE, 3);
                Bytes.write(all, others);
                Verify.bytes(
                        others,
                        segment.toArray(ValueLayout.JAVA_BYTE),
                        "written through the buffer, read by the owner");
            }
            Verify.that(segment.scope().isAlive(), "closing the buffer freed memory that is its owner's");
        }
    }

    private static void bulkQueries(CheckFixture fixture) {
        fixture.require(Capability.BULK_QUERIES);
        GraphBuilder b = new GraphBuilder();
        Tensor a = b.input("a", ElementType.F32, 8, 6);
        Tensor impossible = fixture.impossible(a);
        Graph graph = Graph.of(b.add(a, a), b.transpose(b.scale(a, 2)), impossible);
        boolean[] answers = fixture.device().supports(graph);
        Verify.that(
                answers.length == graph.nodeCount(),
                "of " + graph.nodeCount() + " nodes it answers for " + answers.length);
        for (int node = 0; node < answers.length; node++) {
            Tensor asked = graph.node(node);
            Verify.that(
                    answers[node] == fixture.device().supports(asked).isSupported(),
                    "it answers " + answers[node] + " for " + asked.describe()
                            + " of a graph, and otherwise when it is asked for that node alone");
        }
    }

    private static void bulkMemory(CheckFixture fixture) {
        BufferType type = fixture.device().bufferType();
        GraphBuilder b = new GraphBuilder();
        List<Tensor> tensors = Stream.of(ElementType.values())
                .map(element -> b.tensor(element, 3L * element.blockSize(), 5))
                .toList();
        List<Long> sizes = tensors.stream().map(type::allocationSize).toList();
        type.fetchAllocationSizes(tensors);
        Verify.that(
                sizes.equals(tensors.stream().map(type::allocationSize).toList()),
                "sizes change once they are fetched in bulk");
        Tensor whole = b.tensor(ElementType.F32, 8, 6);
        Tensor view = b.view1d(whole, 8, 32);
        try (Buffer buffer = type.allocate(type.allocationSize(whole))) {
            BoundTensor bound = BoundTensor.at(whole, buffer, 0);
            buffer.initialize(List.of(bound, BoundTensor.at(view, buffer, 32)));
            byte[] bytes = Bytes.random(Math.toIntExact(whole.byteSize()), 5);
            Bytes.write(bound, bytes);
            Verify.bytes(bytes, Bytes.read(bound), "written to memory that was initialised in bulk");
        }
    }

    private static void events(CheckFixture fixture) {
        if (!fixture.device().capabilities().contains(Capability.EVENTS)) {
            Verify.refused(
                    DeviceException.class,
                    "createEvent without EVENTS",
                    () -> fixture.device().createEvent().close());
            return;
        }
        fixture.event();
    }
}
