package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.error.AccessException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.RowRange;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/** Fills and strided copies through a backend: the right bytes, in the order of the other work. */
final class StridedChecks {

    private static final int SIZE = 1024;
    private static final RowRange IN_TENSOR = new RowRange(40, 24, 7, 100);
    private static final RowRange IN_HOST = new RowRange(8, 24, 7, 32);

    private StridedChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("fills and rows", device, reference)
                .add("a fill through a backend sets its range and no more", StridedChecks::fillRange)
                .add("a fill comes after what was submitted before it", StridedChecks::fillAfter)
                .add("a fill comes before what is submitted after it", StridedChecks::fillBefore)
                .add("rows written through a backend go to their places", StridedChecks::writtenRows)
                .add("rows read through a backend come from their places", StridedChecks::readRows)
                .add("rows are written in order", StridedChecks::rowsWrittenInOrder)
                .add("rows are read in order", StridedChecks::rowsReadInOrder)
                .add("what is out of range is refused", StridedChecks::refused)
                .checks();
    }

    private static void fillRange(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(SIZE);
        byte[] expected = Bytes.random(SIZE, 1);
        Bytes.write(all, expected);
        backend.fillAsync(all, 100, 33, (byte) 7);
        backend.fillAsync(all, 500, 0, (byte) 8);
        backend.synchronize();
        Arrays.fill(expected, 100, 133, (byte) 7);
        Verify.bytes(expected, Bytes.read(all), "33 bytes filled");
    }

    private static void fillAfter(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(SIZE);
        byte[] before = Bytes.random(SIZE, 2);
        byte[] found = new byte[SIZE];
        backend.setAsync(all, 0, MemorySegment.ofArray(before));
        backend.getAsync(all, 0, MemorySegment.ofArray(found));
        backend.fillAsync(all, 0, SIZE, (byte) 3);
        backend.synchronize();
        Verify.bytes(before, found, "what was read before the fill");
        Verify.bytes(filled((byte) 3), Bytes.read(all), "what the fill left");
    }

    private static void fillBefore(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(SIZE);
        byte[] after = Bytes.random(SIZE, 3);
        byte[] found = new byte[SIZE];
        backend.fillAsync(all, 0, SIZE, (byte) 4);
        backend.getAsync(all, 0, MemorySegment.ofArray(found));
        backend.setAsync(all, 0, MemorySegment.ofArray(after));
        backend.synchronize();
        Verify.bytes(filled((byte) 4), found, "what was read after the fill");
        Verify.bytes(after, Bytes.read(all), "what was written after the fill");
    }

    private static byte[] filled(byte value) {
        byte[] bytes = new byte[SIZE];
        Arrays.fill(bytes, value);
        return bytes;
    }

    private static void writtenRows(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(SIZE);
        byte[] expected = Bytes.random(SIZE, 4);
        byte[] source = Bytes.random(SIZE, 5);
        Bytes.write(all, expected);
        backend.setRowsAsync(all, IN_TENSOR, MemorySegment.ofArray(source), IN_HOST);
        backend.synchronize();
        copyRows(source, IN_HOST, expected, IN_TENSOR);
        Verify.bytes(expected, Bytes.read(all), "rows written with gaps");
    }

    private static void readRows(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(SIZE);
        byte[] source = Bytes.random(SIZE, 6);
        byte[] found = Bytes.random(SIZE, 7);
        byte[] expected = found.clone();
        Bytes.write(all, source);
        backend.getRowsAsync(all, IN_TENSOR, MemorySegment.ofArray(found), IN_HOST);
        backend.synchronize();
        copyRows(source, IN_TENSOR, expected, IN_HOST);
        Verify.bytes(expected, found, "rows read with gaps");
    }

    private static void copyRows(byte[] source, RowRange from, byte[] target, RowRange to) {
        for (long row = 0; row < from.rows(); row++) {
            System.arraycopy(
                    source,
                    Math.toIntExact(from.start(row)),
                    target,
                    Math.toIntExact(to.start(row)),
                    Math.toIntExact(from.rowBytes()));
        }
    }

    private static void rowsWrittenInOrder(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(SIZE);
        byte[] before = Bytes.random(SIZE, 8);
        byte[] rows = Bytes.random(SIZE, 9);
        byte[] found = new byte[SIZE];
        backend.setAsync(all, 0, MemorySegment.ofArray(before));
        backend.getAsync(all, 0, MemorySegment.ofArray(found));
        backend.setRowsAsync(all, IN_TENSOR, MemorySegment.ofArray(rows), IN_HOST);
        backend.synchronize();
        Verify.bytes(before, found, "what was read before the rows were written");
        byte[] expected = before.clone();
        copyRows(rows, IN_HOST, expected, IN_TENSOR);
        Verify.bytes(expected, Bytes.read(all), "what the rows left");
    }

    private static void rowsReadInOrder(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(SIZE);
        byte[] first = Bytes.random(SIZE, 10);
        byte[] second = Bytes.random(SIZE, 11);
        byte[] found = new byte[SIZE];
        byte[] expected = new byte[SIZE];
        Bytes.write(all, second);
        backend.setAsync(all, 0, MemorySegment.ofArray(first));
        backend.getRowsAsync(all, IN_TENSOR, MemorySegment.ofArray(found), IN_HOST);
        backend.setAsync(all, 0, MemorySegment.ofArray(second));
        backend.synchronize();
        copyRows(first, IN_TENSOR, expected, IN_HOST);
        Verify.bytes(expected, found, "rows read between two sets");
    }

    private static void refused(CheckFixture fixture) {
        Backend backend = fixture.open();
        BoundTensor all = fixture.bytes(64);
        byte[] before = Bytes.random(64, 12);
        Bytes.write(all, before);
        MemorySegment host = MemorySegment.ofArray(new byte[64]);
        RowRange inside = new RowRange(0, 8, 4, 16);
        RowRange outside = new RowRange(9, 8, 4, 16);
        RowRange fewer = new RowRange(0, 8, 3, 16);
        refused(backend, "a fill of 2 bytes at 63", () -> backend.fillAsync(all, 63, 2, (byte) 1));
        refused(backend, "a fill at -1", () -> backend.fillAsync(all, -1, 1, (byte) 1));
        refused(backend, "rows beyond the tensor", () -> backend.setRowsAsync(all, outside, host, inside));
        refused(backend, "rows beyond the source", () -> backend.setRowsAsync(all, inside, host, outside));
        refused(backend, "fewer rows than wanted", () -> backend.setRowsAsync(all, inside, host, fewer));
        refused(backend, "reading rows beyond the tensor", () -> backend.getRowsAsync(all, outside, host, inside));
        refused(backend, "reading rows beyond the target", () -> backend.getRowsAsync(all, inside, host, outside));
        backend.synchronize();
        Verify.bytes(before, Bytes.read(all), "after refusals");
    }

    private static void refused(Backend backend, String what, Runnable call) {
        Verify.refused(AccessException.class, what, () -> {
            call.run();
            backend.synchronize();
        });
    }
}
