package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.OpGraph;
import dev.stowage.testkit.op.OpRun;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs a case with guard bytes around every tensor, and afterwards looks at every byte of the memory it ran in: only
 * those of results may have changed.
 *
 * <pre>
 *   | guard | input | guard | input | guard | result | guard |
 * </pre>
 */
final class GuardedRun {

    private static final long GUARD = 64;

    /** Not a number in every float type, so that an element that is not written does not look like a result. */
    private static final byte UNWRITTEN = (byte) 0xff;

    private final BufferType type;
    private final OpGraph made;
    private final List<Tensor> placed = new ArrayList<>();
    private final List<Long> offsets = new ArrayList<>();
    private long size;

    private GuardedRun(BufferType type, OpGraph made) {
        this.type = type;
        this.made = made;
    }

    /** Runs a case with every tensor in a place of its own. */
    static double[] apart(Backend backend, OpGraph made) {
        GuardedRun run = new GuardedRun(backend.device().bufferType(), made);
        run.layOut(null, null);
        return run.compute(backend);
    }

    /** Runs a case with a node at the place of one of its operands. */
    static double[] inPlace(Backend backend, OpGraph made, Tensor node, Tensor operand) {
        GuardedRun run = new GuardedRun(backend.device().bufferType(), made);
        run.layOut(node, operand);
        return run.compute(backend);
    }

    @SuppressWarnings("ReferenceEquality") // the same tensor is meant, not one like it
    private void layOut(@Nullable Tensor node, @Nullable Tensor operand) {
        long next = aligned(GUARD);
        for (Tensor tensor : OpRun.tensors(made.graph())) {
            if (tensor.isView()) {
                continue;
            }
            boolean shares = tensor == node && operand != null;
            long offset = shares ? offsets.get(placed.indexOf(operand)) : next;
            placed.add(tensor);
            offsets.add(offset);
            next = aligned(Math.max(next, offset + type.allocationSize(tensor)) + (shares ? 0 : GUARD));
        }
        size = next + GUARD;
    }

    private long aligned(long offset) {
        return Math.ceilDiv(offset, type.alignment()) * type.alignment();
    }

    private double[] compute(Backend backend) {
        try (Buffer buffer = type.allocate(size)) {
            BoundTensor all = CheckFixture.over(buffer);
            byte[] before = image();
            buffer.set(all, 0, MemorySegment.ofArray(before));
            for (int i = 0; i < placed.size(); i++) {
                buffer.place(placed.get(i), offsets.get(i));
            }
            for (Tensor tensor : OpRun.tensors(made.graph())) {
                if (tensor.isView()) {
                    buffer.initializeView(BoundTensor.of(tensor));
                }
            }
            backend.compute(made.graph());
            byte[] after = new byte[before.length];
            buffer.get(all, 0, MemorySegment.ofArray(after));
            requireUntouched(before, after);
            return OpRun.read(made.result());
        }
    }

    /** All bytes as they are before the run. */
    private byte[] image() {
        byte[] image = new byte[Math.toIntExact(size)];
        for (int i = 0; i < image.length; i++) {
            image[i] = (byte) (i * 31 + (i >>> 8) + 7);
        }
        for (int i = placed.size() - 1; i >= 0; i--) {
            int at = Math.toIntExact(offsets.get(i));
            int input = made.inputs().indexOf(placed.get(i));
            if (input >= 0) {
                byte[] bytes = made.bytesOf(input);
                System.arraycopy(bytes, 0, image, at, bytes.length);
            } else {
                Arrays.fill(image, at, at + Math.toIntExact(placed.get(i).byteSize()), UNWRITTEN);
            }
        }
        return image;
    }

    private void requireUntouched(byte[] before, byte[] after) {
        boolean[] writable = new boolean[before.length];
        for (Tensor node : made.graph().nodes()) {
            if (!node.op().isViewOp()) {
                allow(writable, node);
            }
        }
        for (int i = 0; i < before.length; i++) {
            if (before[i] != after[i] && !writable[i]) {
                throw new CheckFailure("wrote where it must not: " + describe(i));
            }
        }
    }

    private void allow(boolean[] writable, Tensor node) {
        int from = Math.toIntExact(node.storageOffset());
        if (node.isView()) {
            allowElements(writable, from, node.layout());
        } else {
            Arrays.fill(writable, from, from + Math.toIntExact(type.allocationSize(node)), true);
        }
    }

    /** A result within another tensor may write its own elements, and not the bytes between them. */
    private static void allowElements(boolean[] writable, int from, Layout layout) {
        Shape shape = layout.shape();
        long blocks = shape.d0() / layout.type().blockSize();
        for (long i3 = 0; i3 < shape.d3(); i3++) {
            for (long i2 = 0; i2 < shape.d2(); i2++) {
                for (long i1 = 0; i1 < shape.d1(); i1++) {
                    for (long block = 0; block < blocks; block++) {
                        int at = Math.toIntExact(from
                                + block * layout.strides().s0()
                                + i1 * layout.strides().s1()
                                + i2 * layout.strides().s2()
                                + i3 * layout.strides().s3());
                        Arrays.fill(writable, at, at + layout.type().bytesPerBlock(), true);
                    }
                }
            }
        }
    }

    private String describe(int at) {
        for (int i = placed.size() - 1; i >= 0; i--) {
            Tensor tensor = placed.get(i);
            long offset = at - offsets.get(i);
            if (offset >= 0 && offset < tensor.byteSize()) {
                return "byte " + offset + " of " + tensor.describe();
            }
            if (offset >= tensor.byteSize() && offset < tensor.byteSize() + GUARD) {
                return (offset - tensor.byteSize()) + " bytes after the end of " + tensor.describe();
            }
            if (offset < 0 && offset >= -GUARD) {
                return -offset + " bytes before the first of " + tensor.describe();
            }
        }
        return "byte " + at + " of the buffer, where no tensor is stored";
    }
}
