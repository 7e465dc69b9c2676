package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.error.AccessException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/** Bytes on their way between the host and the device, and between two places on it. */
final class TransferChecks {

    /** More than the piece of host memory that a bounced copy goes through, and no round number. */
    private static final int LARGE = (9 << 20) + 17;

    private TransferChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("transfers", device, reference)
                .add("of every type come back from the device as they were", TransferChecks::roundTrip)
                .add("between two buffers of the device keep the bytes", TransferChecks::betweenBuffers)
                .add("within a buffer keep the bytes, even where they overlap", TransferChecks::withinBuffer)
                .add("of many megabytes keep the bytes", TransferChecks::large)
                .add("of views touch nothing else", TransferChecks::views)
                .add("between different layouts are refused", TransferChecks::layouts)
                .add("through a backend between different layouts are refused", TransferChecks::layoutsThroughBackend)
                .add("through a backend reach any place", TransferChecks::throughBackend)
                .add("through a backend refuse what is out of range", TransferChecks::throughBackendRefused)
                .checks();
    }

    private static void roundTrip(CheckFixture fixture) {
        for (ElementType type : ElementType.values()) {
            Layout layout = Layout.contiguous(type, 3L * type.blockSize(), 7);
            Tensor near = placed(layout, fixture, HostBufferType.standard().allocate(layout.byteSize()));
            Tensor far = placed(layout, fixture, fixture.device().bufferType().allocate(layout.byteSize()));
            Tensor back = placed(layout, fixture, HostBufferType.standard().allocate(layout.byteSize()));
            byte[] bytes = Bytes.random(Math.toIntExact(layout.byteSize()), type.code());
            Bytes.write(near, bytes);
            Buffer.copy(near, far);
            Buffer.copy(far, back);
            Verify.bytes(bytes, Bytes.read(back), layout + " from the host to the device and back");
        }
    }

    private static Tensor placed(Layout layout, CheckFixture fixture, Buffer buffer) {
        fixture.afterwards(buffer::close);
        Tensor tensor = Tensor.leaf(layout).named(buffer.name());
        buffer.place(tensor, 0);
        return tensor;
    }

    private static void betweenBuffers(CheckFixture fixture) {
        long step = fixture.room(bytes(64));
        Buffer first = fixture.buffer(4 * step + 777);
        Buffer second = fixture.buffer(4 * step + 777);
        Tensor from = bytes(777);
        Tensor to = bytes(777);
        first.place(from, step);
        second.place(to, 3 * step);
        BoundTensor whole = CheckFixture.over(second);
        byte[] shadow = Bytes.random(Math.toIntExact(whole.byteSize()), 1);
        byte[] bytes = Bytes.random(777, 2);
        Bytes.write(CheckFixture.over(first), Bytes.random(Math.toIntExact(first.size()), 3));
        Bytes.write(whole, shadow);
        Bytes.write(from, bytes);
        Buffer.copy(from, to);
        System.arraycopy(bytes, 0, shadow, Math.toIntExact(3 * step), 777);
        Verify.bytes(shadow, Bytes.read(whole), "the buffer a tensor was copied into");
        Verify.bytes(bytes, Bytes.read(from), "the tensor that was copied");
    }

    private static Tensor bytes(long count) {
        return Tensor.leaf(Layout.contiguous(ElementType.I8, count)).named("bytes");
    }

    private static void withinBuffer(CheckFixture fixture) {
        long step = fixture.room(bytes(64));
        int length = Math.toIntExact(3 * step + 5);
        Buffer buffer = fixture.buffer(16 * step);
        BoundTensor whole = CheckFixture.over(buffer);
        long[][] places = {{0, 8}, {8, 0}, {0, 1}, {1, 0}, {2, 4}, {4, 2}, {3, 3}};
        for (long[] place : places) {
            byte[] shadow = Bytes.random(Math.toIntExact(buffer.size()), place[0] * 31 + place[1]);
            Bytes.write(whole, shadow);
            Tensor from = bytes(length);
            Tensor to = bytes(length);
            buffer.place(from, place[0] * step);
            buffer.place(to, place[1] * step);
            Buffer.copy(from, to);
            System.arraycopy(
                    shadow, Math.toIntExact(place[0] * step), shadow, Math.toIntExact(place[1] * step), length);
            Verify.bytes(
                    shadow, Bytes.read(whole), "copying from offset " + place[0] * step + " to " + place[1] * step);
        }
    }

    private static void large(CheckFixture fixture) {
        BoundTensor from = fixture.bytes(LARGE);
        BoundTensor to = fixture.bytes(LARGE);
        byte[] bytes = Bytes.random(LARGE, 4);
        Bytes.write(from, bytes);
        Buffer.copy(from, to);
        Verify.bytes(bytes, Bytes.read(to), LARGE + " bytes");
    }

    private static void views(CheckFixture fixture) {
        GraphBuilder b = new GraphBuilder();
        Tensor first = b.tensor(ElementType.F32, 16, 8);
        Tensor second = b.tensor(ElementType.F32, 16, 8);
        Tensor from = b.view1d(first, 40, 3 * 64);
        Tensor to = b.view1d(second, 40, 2 * 64 + 4);
        Buffer buffer = fixture.buffer(2 * fixture.room(first));
        buffer.place(first, 0);
        buffer.place(second, fixture.room(first));
        byte[] source = Bytes.random(512, 5);
        byte[] target = Bytes.random(512, 6);
        Bytes.write(first, source);
        Bytes.write(second, target);
        Buffer.copy(from, to);
        System.arraycopy(source, 192, target, 132, 160);
        Verify.bytes(target, Bytes.read(second), "the source of the view that was copied into");
    }

    private static void layouts(CheckFixture fixture) {
        GraphBuilder b = new GraphBuilder();
        Tensor a = b.tensor(ElementType.F32, 16, 8);
        Tensor other = b.tensor(ElementType.F32, 8, 16);
        Buffer buffer = fixture.buffer(2 * fixture.room(a));
        buffer.place(a, 0);
        buffer.place(other, fixture.room(a));
        Bytes.write(other, Bytes.random(512, 7));
        Verify.refused(InvalidTensorException.class, "a copy to another shape", () -> Buffer.copy(a, other));
        Verify.bytes(Bytes.random(512, 7), Bytes.read(other), "the target of a refused copy");
    }

    private static void layoutsThroughBackend(CheckFixture fixture) {
        Backend producer = fixture.open();
        Backend consumer = fixture.open();
        GraphBuilder b = new GraphBuilder();
        Tensor source = b.tensor(ElementType.F32, 16, 8);
        Tensor[] others = {
            b.tensor(ElementType.F32, 8, 16),
            b.tensor(ElementType.I32, 16, 8),
            b.view2d(b.tensor(ElementType.F32, 32, 8), 16, 8, 128, 0)
        };
        fixture.buffer(fixture.room(source)).place(source, 0);
        for (Tensor other : others) {
            Tensor root = other.isView() ? other.viewSource() : other;
            fixture.buffer(fixture.room(root)).place(root, 0);
            byte[] before = Bytes.random(Math.toIntExact(root.byteSize()), 11);
            Bytes.write(root, before);
            BoundTensor from = BoundTensor.of(source);
            BoundTensor to = BoundTensor.of(other);
            Verify.refused(
                    InvalidTensorException.class,
                    "a copy to " + other.describe(),
                    () -> consumer.tryCopyAsync(producer, from, to));
            Verify.refused(
                    InvalidTensorException.class,
                    "a copy to " + other.describe(),
                    () -> consumer.copyAsync(producer, from, to));
            consumer.synchronize();
            producer.synchronize();
            Verify.bytes(before, Bytes.read(root), "the target of a refused copy");
        }
    }

    private static void throughBackend(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(1024);
        byte[] shadow = Bytes.random(1024, 8);
        backend.setAsync(all, 0, MemorySegment.ofArray(shadow));
        byte[] piece = Bytes.random(333, 9);
        backend.setAsync(all, 101, MemorySegment.ofArray(piece));
        byte[] found = new byte[1024];
        byte[] part = new byte[500];
        backend.getAsync(all, 0, MemorySegment.ofArray(found));
        backend.getAsync(all, 77, MemorySegment.ofArray(part));
        backend.setAsync(all, 5, MemorySegment.ofArray(new byte[0]));
        backend.synchronize();
        System.arraycopy(piece, 0, shadow, 101, piece.length);
        Verify.bytes(shadow, found, "written in two pieces through the backend");
        Verify.bytes(Arrays.copyOfRange(shadow, 77, 577), part, "read in part through the backend");
        Verify.bytes(shadow, Bytes.read(all), "written through the backend, read through the buffer");
    }

    private static void throughBackendRefused(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(64);
        byte[] before = Bytes.random(64, 10);
        Bytes.write(all, before);
        MemorySegment two = MemorySegment.ofArray(new byte[2]);
        Verify.refused(AccessException.class, "setting 2 bytes at 63", () -> {
            backend.setAsync(all, 63, two);
            backend.synchronize();
        });
        Verify.refused(AccessException.class, "getting 2 bytes at -1", () -> {
            backend.getAsync(all, -1, two);
            backend.synchronize();
        });
        backend.synchronize();
        Verify.bytes(before, Bytes.read(all), "after refusals");
    }
}
