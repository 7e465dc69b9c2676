package dev.stowage.cuda.memory.unit;

import dev.stowage.tensor.ElementType;
import java.util.Arrays;
import java.util.Optional;

/**
 * How units store the weights of one element type; the numbers of {@code unit_layout.cuh}. A unit holds {@value #ROWS} rows
 * times {@value #LANES} lanes, and a lane owns consecutive weights of each of the rows.
 */
public enum UnitFormat {
    Q4_0(ElementType.Q4_0, "q4_0", 32, 72),
    Q8_0(ElementType.Q8_0, "q8_0", 32, 136),
    Q4_K(ElementType.Q4_K, "q4_K", 32, 72),
    Q5_K(ElementType.Q5_K, "q5_K", 32, 88),
    Q6_K(ElementType.Q6_K, "q6_K", 32, 105),
    F16(ElementType.F16, "f16", 8, 64),
    BF16(ElementType.BF16, "bf16", 8, 64);

    /** The rows of a unit. */
    public static final int ROWS = 4;

    /** The most lanes of a unit: the threads of a warp. */
    public static final int LANES = 32;

    /** Copies of units go by 16 bytes. */
    private static final int ALIGNMENT = 16;

    private final ElementType type;
    private final String suffix;
    private final int laneWeights;
    private final int laneBytes;

    UnitFormat(ElementType type, String suffix, int laneWeights, int laneBytes) {
        this.type = type;
        this.suffix = suffix;
        this.laneWeights = laneWeights;
        this.laneBytes = laneBytes;
    }

    /** The format of a type, if it has one. */
    public static Optional<UnitFormat> of(ElementType type) {
        return Arrays.stream(values()).filter(format -> format.type == type).findFirst();
    }

    public ElementType type() {
        return type;
    }

    /** How the names of its kernels end. */
    public String suffix() {
        return suffix;
    }

    /** The weights of a row that a lane owns. */
    public int laneWeights() {
        return laneWeights;
    }

    /** The weights of a row in a unit with all lanes. */
    public int step() {
        return LANES * laneWeights;
    }

    /** The bytes of a unit with that many lanes. */
    public int unitBytes(int lanes) {
        return (lanes * laneBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** Whether products multiply integers, so that activations are quantised. */
    public boolean isQuantized() {
        return type.isQuantized();
    }
}
