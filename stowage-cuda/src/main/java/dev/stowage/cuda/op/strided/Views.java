package dev.stowage.cuda.op.strided;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;

/** Tensors as arguments of kernels, and the same bytes seen in other shapes and units. */
public final class Views {

    private static final int LARGEST_UNIT = 16;

    private Views() {}

    public static ViewArgument of(BoundTensor tensor) {
        return new ViewArgument(DeviceAddress.of(tensor), tensor.layout());
    }

    /** The same elements in a single row; the tensor is contiguous. */
    public static ViewArgument flat(ViewArgument view) {
        return reshaped(view, Shape.of(view.layout().shape().elements()));
    }

    /** The same elements in another shape; the tensor is contiguous. */
    public static ViewArgument reshaped(ViewArgument view, Shape shape) {
        return new ViewArgument(view.address(), Layout.contiguous(view.layout().type(), shape));
    }

    /** Whether the rows are without gaps and each begins at a multiple of four elements. */
    public static boolean isAlignedToFour(ViewArgument view) {
        return view.layout().hasContiguousRows()
                && isMultiple(view, 4L * view.layout().type().bytesPerBlock());
    }

    /** Whether the address and all strides between rows are multiples of that many bytes. */
    static boolean isMultiple(ViewArgument view, long bytes) {
        if (view.address() % bytes != 0) {
            return false;
        }
        Layout layout = view.layout();
        for (int i = 1; i < Shape.RANK; i++) {
            if (layout.shape().dim(i) > 1 && layout.strides().stride(i) % bytes != 0) {
                return false;
            }
        }
        return true;
    }

    /** The bytes of a row of blocks without gaps. */
    private static long rowBytes(ViewArgument view) {
        return view.layout().type().rowBytes(view.layout().shape().d0());
    }

    /**
     * The bytes of the largest unit, up to 16, in which tensors of one type can be copied: it divides their rows,
     * strides, addresses and {@code shift}. Where the elements of a row have gaps it is an element.
     *
     * @param shift a number of bytes along a row
     */
    public static int unit(long shift, ViewArgument... views) {
        int unit = LARGEST_UNIT;
        for (ViewArgument view : views) {
            if (!view.layout().hasContiguousRows()) {
                return view.layout().type().bytesPerBlock();
            }
            while (rowBytes(view) % unit != 0 || !isMultiple(view, unit) || shift % unit != 0) {
                unit /= 2;
            }
        }
        return unit;
    }

    /** A tensor with its rows counted in {@linkplain #unit units}. */
    public static ViewArgument inUnits(ViewArgument view, int unit) {
        Layout layout = view.layout();
        boolean hasGaps = !layout.hasContiguousRows();
        Shape shape = hasGaps ? layout.shape() : layout.shape().with(0, rowBytes(view) / unit);
        Strides own = layout.strides();
        Strides strides = new Strides(hasGaps ? own.s0() : unit, own.s1(), own.s2(), own.s3());
        return new ViewArgument(view.address(), Layout.strided(ElementType.I8, shape, strides));
    }
}
