package dev.stowage.cpu.machine.tile;

import dev.stowage.tensor.ElementType;
import java.util.Optional;

/** The types of weights that there is machine code for, with what a column has to bring beside its numbers. */
public enum TileType {
    Q4_0(ElementType.Q4_0, Extra.SUM, 8, 15),
    Q5_0(ElementType.Q5_0, Extra.SUM, 16, 31),
    Q8_0(ElementType.Q8_0, Extra.SUM, 128, 255),
    Q4_K(ElementType.Q4_K, Extra.SCALED_SUM, 1, 15),
    Q5_K(ElementType.Q5_K, Extra.SCALED_SUM, 1, 31),
    Q6_K(ElementType.Q6_K, Extra.TWO_SUMS, 32, 63);

    /** What a column has for 32 of its numbers beside them and their scale. */
    enum Extra {
        /** An int: minus their sum times the offset of the weights. */
        SUM(1),
        /** Two ints: the same of the first and the second 16. */
        TWO_SUMS(2),
        /** A float: minus their sum times their scale. */
        SCALED_SUM(1);

        /** How many numbers of four bytes. */
        final int count;

        Extra(int count) {
            this.count = count;
        }
    }

    private final ElementType elements;
    final Extra extra;

    /** What is added to weights to make them unsigned. */
    final int offset;

    /** The largest weight, unsigned. */
    final int largest;

    TileType(ElementType elements, Extra extra, int offset, int largest) {
        this.elements = elements;
        this.extra = extra;
        this.offset = offset;
        this.largest = largest;
    }

    /** The type of tiles for weights of a type, if there is machine code for it. */
    public static Optional<TileType> of(ElementType type) {
        for (TileType tile : values()) {
            if (tile.elements == type) {
                return Optional.of(tile);
            }
        }
        return Optional.empty();
    }

    /** The numbers of a column that have the same scale: 32 or 256. */
    public int span() {
        return elements.blockSize();
    }

    /** The type of the weights. */
    ElementType elements() {
        return elements;
    }

    /** The bytes of a block of weights. */
    int blockBytes() {
        return elements.bytesPerBlock();
    }

    /** Columns of this and of that type are rounded in the same way. */
    public String columns() {
        return span() + " " + extra + " " + offset;
    }
}
