package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.RowRange;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;

/** Memory of a device: allocated, cleared, written and read in part, bounds checked, freed. */
final class BufferChecks {

    private static final int SIZE = 1024;

    /** From where and how many: nothing, one byte, odd places, across words, up to the last byte. */
    private static final int[][] RANGES = {
        {0, 0},
        {0, 1},
        {0, SIZE},
        {1, 1},
        {3, 5},
        {7, 16},
        {64, 64},
        {100, 333},
        {SIZE - 1, 1},
        {SIZE - 17, 17},
        {SIZE, 0}
    };

    /** Where rows are in a tensor and in the host's memory: dense, apart, a single one, none. */
    private static final RowRange[][] ROWS = {
        {RowRange.dense(64, 4), RowRange.dense(64, 4)},
        {new RowRange(3, 17, 9, 100), RowRange.dense(17, 9)},
        {RowRange.dense(40, 6), new RowRange(5, 40, 6, 41)},
        {new RowRange(100, 33, 5, 64), new RowRange(1, 33, 5, 77)},
        {new RowRange(SIZE - 8, 8, 1, 0), new RowRange(2, 8, 1, 0)},
        {new RowRange(7, 9, 0, 9), RowRange.dense(9, 0)}
    };

    private BufferChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("buffers", device, reference)
                .add("have the size asked for, at aligned addresses", BufferChecks::sizes)
                .add("of 0 bytes are given", BufferChecks::empty)
                .add("larger than any memory are refused", BufferChecks::tooLarge)
                .add("are cleared to the last byte", BufferChecks::clear)
                .add("are written at any place", BufferChecks::set)
                .add("are read from any place", BufferChecks::get)
                .add("are filled at any place", BufferChecks::fill)
                .add("are written row by row, and nothing between the rows", BufferChecks::setRows)
                .add("are read row by row, into rows", BufferChecks::getRows)
                .add("take bytes from arrays and from native memory", BufferChecks::segments)
                .add("refuse what is out of range and write nothing", BufferChecks::outOfRange)
                .add("refuse tensors at odd places", BufferChecks::misplaced)
                .add("know views by their place in their source", BufferChecks::views)
                .add("do not share bytes", BufferChecks::apart)
                .add("show the host the same bytes, where it can reach them", BufferChecks::segment)
                .add("are closed once and for all", BufferChecks::closed)
                .checks();
    }

    private static void sizes(CheckFixture fixture) {
        BufferType type = fixture.device().bufferType();
        for (long size : new long[] {1, type.alignment() - 1, type.alignment(), 4099, (1 << 20) + 3}) {
            Buffer buffer = fixture.buffer(size);
            Verify.that(buffer.size() == size, "asked for " + size + " bytes, got " + buffer.size());
            Verify.that(
                    buffer.address() % type.alignment() == 0,
                    "address " + buffer.address() + " is not a multiple of " + type.alignment());
            Verify.that(
                    buffer.type().equals(type),
                    "the buffer is of type '" + buffer.type().name() + "'");
            Verify.that(!buffer.isClosed(), "a buffer is closed when it is allocated");
        }
    }

    private static void empty(CheckFixture fixture) {
        Buffer buffer = fixture.buffer(0);
        Verify.that(buffer.size() == 0, "asked for 0 bytes, got " + buffer.size());
        buffer.clear((byte) 1);
        Tensor nothing = Tensor.leaf(Layout.contiguous(ElementType.F32, 0)).named("nothing");
        buffer.place(nothing, 0);
        Verify.that(Bytes.read(nothing).length == 0, "an empty tensor has bytes");
    }

    private static void tooLarge(CheckFixture fixture) {
        BufferType type = fixture.device().bufferType();
        for (long size : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            Verify.refused(
                    AllocationException.class,
                    "a buffer of " + size + " bytes",
                    () -> type.allocate(size).close());
        }
        Verify.that(fixture.buffer(64).size() == 64, "after a refusal there is no memory any more");
    }

    private static void clear(CheckFixture fixture) {
        for (int size : new int[] {1, 63, 64, 65, 4099}) {
            BoundTensor all = fixture.bytes(size);
            for (byte value : new byte[] {0, -1, 0x5a}) {
                Bytes.write(all, Bytes.random(size, value));
                all.buffer().clear(value);
                byte[] expected = new byte[size];
                Arrays.fill(expected, value);
                Verify.bytes(expected, Bytes.read(all), "cleared to " + value);
            }
        }
    }

    private static void set(CheckFixture fixture) {
        BoundTensor all = fixture.bytes(SIZE);
        byte[] shadow = Bytes.random(SIZE, 1);
        Bytes.write(all, shadow);
        for (int[] range : RANGES) {
            byte[] piece = Bytes.random(range[1], 2 + range[0]);
            all.buffer().set(all, range[0], MemorySegment.ofArray(piece));
            System.arraycopy(piece, 0, shadow, range[0], piece.length);
            Verify.bytes(shadow, Bytes.read(all), "after writing " + range[1] + " bytes at " + range[0]);
        }
    }

    private static void get(CheckFixture fixture) {
        BoundTensor all = fixture.bytes(SIZE);
        byte[] shadow = Bytes.random(SIZE, 3);
        Bytes.write(all, shadow);
        for (int[] range : RANGES) {
            byte[] target = new byte[range[1] + 2];
            MemorySegment inner = MemorySegment.ofArray(target).asSlice(1, range[1]);
            all.buffer().get(all, range[0], inner);
            byte[] expected = new byte[range[1] + 2];
            System.arraycopy(shadow, range[0], expected, 1, range[1]);
            Verify.bytes(expected, target, "reading " + range[1] + " bytes at " + range[0] + " between two others");
        }
    }

    private static void fill(CheckFixture fixture) {
        BoundTensor all = fixture.bytes(SIZE);
        byte[] shadow = Bytes.random(SIZE, 4);
        Bytes.write(all, shadow);
        for (int[] range : RANGES) {
            byte value = (byte) (range[0] + 1);
            all.buffer().memset(all, range[0], range[1], value);
            Arrays.fill(shadow, range[0], range[0] + range[1], value);
            Verify.bytes(shadow, Bytes.read(all), "after filling " + range[1] + " bytes at " + range[0]);
        }
    }

    private static void setRows(CheckFixture fixture) {
        BoundTensor all = fixture.bytes(SIZE);
        byte[] shadow = Bytes.random(SIZE, 9);
        Bytes.write(all, shadow);
        for (RowRange[] rows : ROWS) {
            byte[] source = Bytes.random(SIZE, rows[0].offset());
            all.buffer().setRows(all, rows[0], MemorySegment.ofArray(source), rows[1]);
            copyRows(source, rows[1], shadow, rows[0]);
            Verify.bytes(shadow, Bytes.read(all), "after writing " + rows[1] + " to " + rows[0]);
        }
    }

    private static void getRows(CheckFixture fixture) {
        BoundTensor all = fixture.bytes(SIZE);
        byte[] shadow = Bytes.random(SIZE, 10);
        Bytes.write(all, shadow);
        for (RowRange[] rows : ROWS) {
            byte[] expected = Bytes.random(SIZE, rows[0].rows());
            byte[] target = expected.clone();
            all.buffer().getRows(all, rows[0], MemorySegment.ofArray(target), rows[1]);
            copyRows(shadow, rows[0], expected, rows[1]);
            Verify.bytes(expected, target, "after reading " + rows[0] + " into " + rows[1]);
        }
    }

    private static void copyRows(byte[] from, RowRange source, byte[] to, RowRange target) {
        for (int row = 0; row < source.rows(); row++) {
            System.arraycopy(
                    from,
                    Math.toIntExact(source.start(row)),
                    to,
                    Math.toIntExact(target.start(row)),
                    Math.toIntExact(source.rowBytes()));
        }
    }

    private static void segments(CheckFixture fixture) {
        BoundTensor all = fixture.bytes(SIZE);
        int[] numbers = new int[SIZE / Integer.BYTES];
        Arrays.setAll(numbers, i -> i * 0x01030507);
        all.buffer().set(all, 0, MemorySegment.ofArray(numbers));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment odd = arena.allocate(SIZE + 1).asSlice(1);
            all.buffer().get(all, 0, odd);
            Verify.bytes(
                    MemorySegment.ofArray(numbers).toArray(ValueLayout.JAVA_BYTE),
                    odd.toArray(ValueLayout.JAVA_BYTE),
                    "from an array to native memory at an odd address");
            odd.asSlice(0, 5).fill((byte) 9);
            all.buffer().set(all, 0, odd.asReadOnly());
            Verify.bytes(odd.toArray(ValueLayout.JAVA_BYTE), Bytes.read(all), "from read-only native memory");
        }
    }

    private static void outOfRange(CheckFixture fixture) {
        BoundTensor all = fixture.bytes(SIZE);
        Buffer buffer = all.buffer();
        byte[] before = Bytes.random(SIZE, 5);
        Bytes.write(all, before);
        MemorySegment two = MemorySegment.ofArray(new byte[] {1, 2});
        for (long offset : new long[] {-1, SIZE - 1, SIZE, Long.MAX_VALUE}) {
            Verify.refused(AccessException.class, "writing 2 bytes at " + offset, () -> buffer.set(all, offset, two));
            Verify.refused(AccessException.class, "reading 2 bytes at " + offset, () -> buffer.get(all, offset, two));
            Verify.refused(
                    AccessException.class,
                    "filling 2 bytes at " + offset,
                    () -> buffer.memset(all, offset, 2, (byte) 3));
        }
        Verify.bytes(before, Bytes.read(all), "after refusals");
        Verify.bytes(new byte[] {1, 2}, two.toArray(ValueLayout.JAVA_BYTE), "the target of a refused read");
    }

    private static void misplaced(CheckFixture fixture) {
        BufferType type = fixture.device().bufferType();
        Buffer buffer = fixture.buffer(16 * type.alignment());
        Tensor tensor = Tensor.leaf(Layout.contiguous(ElementType.F32, 4)).named("t");
        if (type.alignment() > 1) {
            Verify.refused(AccessException.class, "a place at offset 1", () -> buffer.place(tensor, 1));
        }
        Verify.refused(AccessException.class, "a place at the end", () -> buffer.place(tensor, buffer.size()));
        Verify.that(!tensor.isPlaced(), "a tensor has a place that was refused");
    }

    private static void views(CheckFixture fixture) {
        GraphBuilder b = new GraphBuilder();
        Tensor source = b.tensor(ElementType.F32, 8, 6);
        Tensor view = b.view2d(source, 8, 3, source.stride(1), 2 * source.stride(1));
        Tensor inner = b.view1d(view, 4, view.stride(1) + 8);
        Buffer buffer = fixture.buffer(2 * fixture.room(source));
        buffer.place(source, fixture.room(source));
        buffer.initializeView(BoundTensor.of(view));
        buffer.initializeView(BoundTensor.of(inner));
        byte[] shadow = Bytes.random(192, 6);
        Bytes.write(source, shadow);
        byte[] piece = Bytes.random(16, 7);
        Bytes.write(inner, piece);
        System.arraycopy(piece, 0, shadow, 64 + 32 + 8, 16);
        Verify.bytes(shadow, Bytes.read(source), "the source after a view of it was written");
        Verify.bytes(Arrays.copyOfRange(shadow, 64, 160), Bytes.read(view), "a view of three rows");
    }

    private static void apart(CheckFixture fixture) {
        BoundTensor[] all = new BoundTensor[5];
        for (int i = 0; i < all.length; i++) {
            all[i] = fixture.bytes(257);
            all[i].buffer().clear((byte) i);
        }
        for (int i = 0; i < all.length; i++) {
            byte[] expected = new byte[257];
            Arrays.fill(expected, (byte) i);
            Verify.bytes(expected, Bytes.read(all[i]), "buffer " + i + " after writing to others");
        }
    }

    private static void segment(CheckFixture fixture) {
        Buffer buffer = fixture.buffer(SIZE);
        if (!buffer.isHost()) {
            throw new CheckSkipped("the host cannot reach memory of " + buffer.name());
        }
        Verify.that(buffer.hasSegment(), "memory of the host has no segment");
        byte[] bytes = Bytes.random(SIZE, 8);
        Bytes.write(CheckFixture.over(buffer), bytes);
        Verify.bytes(bytes, buffer.segment().toArray(ValueLayout.JAVA_BYTE), "the segment after writing");
    }

    private static void closed(CheckFixture fixture) {
        BoundTensor all = fixture.bytes(SIZE);
        Buffer buffer = all.buffer();
        buffer.close();
        buffer.close();
        MemorySegment one = MemorySegment.ofArray(new byte[1]);
        Verify.that(buffer.isClosed(), "a closed buffer says it is open");
        Verify.refused(ClosedException.class, "writing after close", () -> buffer.set(all, 0, one));
        Verify.refused(ClosedException.class, "reading after close", () -> buffer.get(all, 0, one));
        Verify.refused(ClosedException.class, "clearing after close", () -> buffer.clear((byte) 0));
        Verify.refused(ClosedException.class, "address after close", buffer::address);
    }
}
