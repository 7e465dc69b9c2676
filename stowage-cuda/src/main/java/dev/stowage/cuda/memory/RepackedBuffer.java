package dev.stowage.cuda.memory;

import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.kernel.KernelLibrary;
import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.cuda.memory.unit.UnitPacking;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A buffer whose weights are stored in units. Bytes go through device memory in the order of the tensor, in pieces of whole
 * rows that a kernel packs or unpacks; a row that is written in part is unpacked before. Transfers are done on return.
 *
 * <pre>
 *   host ──copy──► rows in staging memory ──pack──► units
 * </pre>
 */
public final class RepackedBuffer extends DeviceBuffer {

    /** What the kernels load at once. */
    private static final int VECTOR_BYTES = 16;

    private final DeviceContext context;
    private final UnitStaging staging;
    private final Supplier<KernelLibrary> kernels;
    private final long address;
    /** Held while a part of a row is written, which writes the row's other bytes as they were. */
    private final Object partialRows = new Object();

    RepackedBuffer(
            RepackedType type,
            DeviceContext context,
            UnitStaging staging,
            Supplier<KernelLibrary> kernels,
            long address,
            long size) {
        super(type, size);
        this.context = context;
        this.staging = staging;
        this.kernels = kernels;
        this.address = address;
        staging.addBuffer();
    }

    /**
     * The layout of a tensor in such a buffer.
     *
     * @throws InvalidTensorException if it is a view, or does not suit
     */
    public static UnitLayout layout(BoundTensor bound) {
        Tensor tensor = bound.tensor();
        if (tensor.isView()) {
            throw new InvalidTensorException(tensor.describe()
                    + " is a view of weights that are stored in units, which only whole tensors can be: keep '"
                    + tensor.viewSource().name() + "' in ordinary memory of the device");
        }
        return UnitLayout.of(tensor.layout())
                .orElseThrow(() -> new InvalidTensorException(tensor.describe()
                        + " cannot be stored in units: ask Device.weightsType() where its layout goes"));
    }

    /** The GPU that this is memory of. */
    public DeviceContext context() {
        return context;
    }

    @Override
    public long deviceAddress() {
        return address;
    }

    @Override
    protected long baseAddress() {
        return address;
    }

    @Override
    protected void doInitialize(BoundTensor tensor) {
        layout(tensor);
    }

    /** A run of rows that is transferred at once: bytes {@code from} to {@code to} of the tensor, which are in them. */
    private record Piece(long firstRow, long rows, long from, long to) {}

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        UnitLayout layout = layout(tensor);
        long at = offset - tensor.offset();
        List<Piece> pieces = pieces(layout, at, at + source.byteSize());
        (HostSegments.isShared(source) ? pieces.parallelStream() : pieces.stream()).forEach(piece -> {
            MemorySegment bytes = source.asSlice(piece.from() - at, piece.to() - piece.from());
            if (piece.to() - piece.from() == piece.rows() * layout.rowBytes()) {
                write(tensor, layout, piece, bytes, false);
            } else {
                synchronized (partialRows) {
                    write(tensor, layout, piece, bytes, true);
                }
            }
        });
    }

    private void write(BoundTensor tensor, UnitLayout layout, Piece piece, MemorySegment bytes, boolean isPartial) {
        long units = address + tensor.offset();
        staging.use(
                piece.rows() * layout.rowBytes(),
                rows -> context.lanes().run("set", tensor, lane -> {
                    if (isPartial) {
                        launch(lane, UnitPacking.unpack(layout, units, rows, piece.firstRow(), piece.rows()));
                    }
                    lane.write(rows + piece.from() - piece.firstRow() * layout.rowBytes(), bytes);
                    launch(lane, UnitPacking.pack(layout, units, rows, piece.firstRow(), piece.rows()));
                }));
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        UnitLayout layout = layout(tensor);
        long at = offset - tensor.offset();
        long units = address + tensor.offset();
        for (Piece piece : pieces(layout, at, at + target.byteSize())) {
            MemorySegment bytes = target.asSlice(piece.from() - at, piece.to() - piece.from());
            staging.use(
                    piece.rows() * layout.rowBytes(),
                    rows -> context.lanes().run("get", tensor, lane -> {
                        launch(lane, UnitPacking.unpack(layout, units, rows, piece.firstRow(), piece.rows()));
                        lane.read(rows + piece.from() - piece.firstRow() * layout.rowBytes(), bytes);
                    }));
        }
    }

    /** The pieces of bytes of a tensor, each small enough for staging memory; rows that are written in part are apart. */
    private static List<Piece> pieces(UnitLayout layout, long from, long to) {
        long rowBytes = layout.rowBytes();
        long rowsAtOnce = Math.max(1, UnitStaging.PIECE_BYTES / rowBytes);
        long endRow = Math.ceilDiv(to, rowBytes);
        List<Piece> pieces = new ArrayList<>();
        for (long row = from / rowBytes; row < endRow; ) {
            boolean isCut = row * rowBytes < from;
            long next = isCut ? row + 1 : Math.min(row + rowsAtOnce, endRow);
            // A row of which only the beginning is written is a piece of its own, as is one of which only the end is.
            if (next == endRow && endRow * rowBytes > to && next - row > 1) {
                next--;
            }
            pieces.add(new Piece(row, next - row, Math.max(from, row * rowBytes), Math.min(to, next * rowBytes)));
            row = next;
        }
        return pieces;
    }

    /** Launches, and waits. */
    private void launch(TransferLane lane, UnitPacking packing) {
        Driver driver = context.driver();
        packing.enqueue(driver, context.handle(), kernels.get(), lane.stream());
        driver.streamSynchronize(context.handle(), lane.stream());
    }

    @Override
    protected void doMemset(long offset, long length, byte value) {
        context.lanes().run("fill", null, lane -> lane.fill(address + offset, length, value));
    }

    /** The bits of units are in another order, so that rows are filled and packed. */
    @Override
    protected void doMemset(BoundTensor tensor, long offset, long length, byte value) {
        byte[] filled = new byte[(int) Math.min(length, UnitStaging.PIECE_BYTES)];
        MemorySegment bytes = MemorySegment.ofArray(filled).fill(value);
        for (long done = 0; done < length; done += filled.length) {
            doSet(tensor, offset + done, bytes.asSlice(0, Math.min(filled.length, length - done)));
        }
    }

    /** From units of the same driver, and from plain memory of the same GPU, whose rows are packed from where they are. */
    @Override
    protected boolean doTryCopy(BoundTensor from, BoundTensor to) {
        long units = address + to.offset();
        if (from.buffer() instanceof RepackedBuffer source
                && source.context.driver().equals(context.driver())
                && !from.tensor().isView()) {
            long bytes = layout(to).allocationSize();
            long fromAddress = source.address + from.offset();
            context.lanes().run("copy", to, lane -> lane.copy(units, fromAddress, bytes));
            return true;
        }
        long plain =
                from.buffer() instanceof PlainBuffer source && source.context().equals(context)
                        ? source.deviceAddress() + from.offset()
                        : 0;
        if (plain == 0 || plain % VECTOR_BYTES != 0) {
            return false;
        }
        UnitLayout layout = layout(to);
        context.lanes()
                .run("copy", to, lane -> launch(lane, UnitPacking.pack(layout, units, plain, 0, layout.allRows())));
        return true;
    }

    @Override
    protected void doClose() {
        context.free(address, size());
        staging.removeBuffer();
    }
}
