package dev.stowage.cpu.weights;

import dev.stowage.cpu.machine.tile.TileSupport;
import dev.stowage.cpu.machine.tile.TileType;
import dev.stowage.error.AllocationException;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.util.Optional;
import java.util.function.Function;
import jdk.incubator.vector.VectorShape;

/**
 * Memory for the weights of matrix products, in which the rows of a matrix are interleaved as they are written. Vectors
 * then go across rows instead of along them, which is much faster where a row is packed into few bits. The bytes a caller
 * reads back are those it wrote. There are two forms: tiles for machine code, and planes for the Vector API.
 */
public final class InterleavedType implements BufferType {

    private static final InterleavedType PLANES = new InterleavedType("cpu interleaved", Interleaving::planes);
    private static final InterleavedType TILES = new InterleavedType("cpu tiles", Interleaving::tiles);

    /** The kernels take whole planes of 32 bytes as vectors of 16-bit numbers. */
    private static final int VECTOR_BITS = 512;

    private final String name;
    private final Function<Layout, Optional<Interleaving>> interleavings;

    private InterleavedType(String name, Function<Layout, Optional<Interleaving>> interleavings) {
        this.name = name;
        this.interleavings = interleavings;
    }

    /** Memory with groups of 32 rows, which the Vector API's kernels take. */
    public static InterleavedType planes() {
        return PLANES;
    }

    /** Memory with tiles of 16 rows, which machine code takes. */
    public static InterleavedType tiles() {
        return TILES;
    }

    /** The memory in which weights of that layout are best kept on this machine; empty where they stay as they are. */
    public static Optional<InterleavedType> suiting(Layout layout) {
        if (TILES.takes(layout)
                && TileType.of(layout.type()).filter(TileSupport::has).isPresent()) {
            return Optional.of(TILES);
        }
        boolean hasVectors = VectorShape.preferredShape().vectorBitSize() == VECTOR_BITS;
        return hasVectors && PLANES.takes(layout) ? Optional.of(PLANES) : Optional.empty();
    }

    /** Whether this machine has kernels for it. */
    public boolean isUsable() {
        return this == PLANES || TileSupport.isPresent();
    }

    private boolean takes(Layout layout) {
        return interleaving(layout).isPresent();
    }

    /** How a matrix of that layout is kept here, if it can be. */
    Optional<Interleaving> interleaving(Layout layout) {
        return interleavings.apply(layout);
    }

    /** Whether a tensor is stored in such memory of either form, or planned to be. */
    public static boolean holds(Tensor tensor) {
        return tensor.isPlaced() && Buffer.of(tensor).type() instanceof InterleavedType;
    }

    /** Whether a buffer is of such memory of either form. */
    public static boolean holds(Buffer buffer) {
        return buffer instanceof InterleavedBuffer;
    }

    /** Whether a buffer is of this memory. */
    public boolean isOf(Buffer buffer) {
        return buffer instanceof InterleavedBuffer interleaved && interleaved.form() == this;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long alignment() {
        return HostBufferType.STANDARD_ALIGNMENT;
    }

    /**
     * A new buffer.
     *
     * @throws AllocationException if there is too little memory
     */
    @Override
    public Buffer allocate(long size) {
        return new InterleavedBuffer(
                this, HostBufferType.standard().withName(name()).allocate(size));
    }
}
