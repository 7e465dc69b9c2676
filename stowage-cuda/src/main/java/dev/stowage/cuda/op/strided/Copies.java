package dev.stowage.cuda.op.strided;

import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import java.util.EnumSet;
import java.util.Set;

/**
 * Copies of all elements of one tensor to another, in order and converted to its type. Where the type stays the same so
 * do the bits.
 */
public final class Copies {

    /** The formats whose blocks kernels write. */
    public static final Set<ElementType> ENCODED = EnumSet.of(
            ElementType.Q4_0,
            ElementType.Q4_1,
            ElementType.Q5_0,
            ElementType.Q5_1,
            ElementType.Q8_0,
            ElementType.IQ4_NL,
            ElementType.MXFP4);

    /** Matrices smaller than this along a side are not worth a detour through shared memory. */
    private static final int LEAST_TILE = 8;

    private static final int TILE = 32;
    private static final int TILE_ROWS = 8;
    private static final long MOST_PLANES = 65_535;

    private Copies() {}

    /** Whether {@link #launch} copies from such a tensor to such a one. */
    public static OpSupport supports(Layout from, Layout to) {
        if (from.type() == to.type()) {
            boolean wholeRows = from.hasContiguousRows() && to.hasContiguousRows();
            return answer(
                    (wholeRows || !from.type().isQuantized()) && isAlike(from, to),
                    "copies of " + from.type() + " are for rows of blocks without gaps, not for " + from + " to " + to);
        }
        if (from.type() == ElementType.F64 || to.type() == ElementType.F64) {
            return OpSupport.no("copies of f64 to or from another type are not for CUDA");
        }
        if (to.type().isQuantized() && !ENCODED.contains(to.type())) {
            return OpSupport.no("blocks of " + to.type() + " are not written by CUDA, only read");
        }
        return answer(
                isAlike(from, to),
                "copies between " + from + " and " + to + " would need rows that are parts of blocks");
    }

    private static OpSupport answer(boolean isSupported, String reason) {
        return isSupported ? OpSupport.yes() : OpSupport.no(reason);
    }

    /** Whether both have the same shape, one can be seen in the shape of the other, or elements can be counted. */
    private static boolean isAlike(Layout from, Layout to) {
        return from.shape().equals(to.shape())
                || canTake(from, to.shape())
                || canTake(to, from.shape())
                || (!from.type().isQuantized() && !to.type().isQuantized());
    }

    private static boolean canTake(Layout layout, Shape shape) {
        return layout.isContiguous() && shape.d0() % layout.type().blockSize() == 0;
    }

    /** Adds the launches of a supported copy. */
    public static void launch(ViewArgument from, ViewArgument to, LaunchSink out) {
        Shape source = from.layout().shape();
        Shape target = to.layout().shape();
        if (target.isEmpty() || from.equals(to)) {
            return;
        }
        boolean sameType = from.layout().type() == to.layout().type();
        boolean contiguous = from.layout().isContiguous() && to.layout().isContiguous();
        if (contiguous && (sameType || !hasBlocks(from, to))) {
            sameShape(Views.flat(from), Views.flat(to), out);
        } else if (source.equals(target)) {
            sameShape(from, to, out);
        } else if (canTake(from.layout(), target)) {
            sameShape(Views.reshaped(from, target), to, out);
        } else if (canTake(to.layout(), source)) {
            sameShape(from, Views.reshaped(to, source), out);
        } else {
            out.add(RowGrid.launch("convert_in_order", target)
                    .i32(bits(from, sameType))
                    .i32(bits(to, sameType))
                    .argument(from)
                    .argument(to));
        }
    }

    private static boolean hasBlocks(ViewArgument from, ViewArgument to) {
        return from.layout().type().isQuantized() || to.layout().type().isQuantized();
    }

    private static void sameShape(ViewArgument from, ViewArgument to, LaunchSink out) {
        if (isTransposed(from, to)) {
            transpose(from, to, out);
        } else if (from.layout().type() == to.layout().type()) {
            units("copy_", 0, from, to, out);
        } else {
            convert(from, to, out);
        }
    }

    /**
     * Adds a launch of one of the kernels that copy in units of bytes: {@code copy_}, {@code repeat_}.
     *
     * @param shift a number of bytes along a row that must be whole units
     */
    public static void units(String kernel, long shift, ViewArgument from, ViewArgument to, LaunchSink out) {
        int unit = Views.unit(shift, from, to);
        ViewArgument target = Views.inUnits(to, unit);
        out.add(RowGrid.launch(kernel + unit, target.layout().shape())
                .argument(Views.inUnits(from, unit))
                .argument(target));
    }

    private static void convert(ViewArgument from, ViewArgument to, LaunchSink out) {
        Shape shape = to.layout().shape();
        boolean floats = Requirements.FLOATS.contains(from.layout().type())
                && Requirements.FLOATS.contains(to.layout().type());
        Launch launch;
        if (to.layout().type().isQuantized()) {
            launch = RowGrid.launchByWarp("convert_encode", shape);
        } else if (floats && Views.isAlignedToFour(from) && Views.isAlignedToFour(to)) {
            launch = RowGrid.launchByFour("convert_rows", shape);
        } else {
            launch = RowGrid.launch("convert_strided", shape);
        }
        out.add(launch.i32(from.layout().type().code())
                .i32(to.layout().type().code())
                .argument(from)
                .argument(to));
    }

    /** The type to convert from or to; where both are the same, the whole numbers of that size, which keep all bits. */
    private static int bits(ViewArgument view, boolean sameType) {
        ElementType type = view.layout().type();
        if (!sameType) {
            return type.code();
        }
        return switch (type.bytesPerBlock()) {
            case 1 -> ElementType.I8.code();
            case 2 -> ElementType.I16.code();
            case 4 -> ElementType.I32.code();
            default -> ElementType.I64.code();
        };
    }

    private static boolean isTransposed(ViewArgument from, ViewArgument to) {
        Layout source = from.layout();
        Layout target = to.layout();
        int size = source.type().bytesPerBlock();
        return !source.type().isQuantized()
                && (size == 2 || size == 4)
                && (target.type() == source.type()
                        || (source.type() == ElementType.F32 && target.type() == ElementType.F16))
                && source.strides().s1() == size
                && !source.hasContiguousRows()
                && target.hasContiguousRows()
                && Math.min(target.shape().d0(), target.shape().d1()) >= LEAST_TILE
                && tiles(target.shape()) <= Integer.MAX_VALUE;
    }

    private static long tiles(Shape shape) {
        return Math.ceilDiv(shape.d0(), TILE) * Math.ceilDiv(shape.d1(), TILE);
    }

    private static void transpose(ViewArgument from, ViewArgument to, LaunchSink out) {
        Shape shape = to.layout().shape();
        boolean sameType = from.layout().type() == to.layout().type();
        String kernel = sameType ? "transpose_" + to.layout().type().bytesPerBlock() : "transpose_f32_f16";
        out.add(Launch.of(kernel)
                .grid(tiles(shape), Math.min(shape.d2(), MOST_PLANES), Math.min(shape.d3(), MOST_PLANES))
                .block(TILE, TILE_ROWS)
                .dependent()
                .argument(from)
                .argument(to));
    }
}
