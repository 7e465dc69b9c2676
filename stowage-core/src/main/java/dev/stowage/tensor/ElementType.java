package dev.stowage.tensor;

import dev.stowage.error.InvalidTensorException;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * How the numbers of a tensor are stored. A plain type stores one element per block; a quantised type packs
 * {@link #blockSize()} elements into {@link #bytesPerBlock()} bytes, so a row of it is always a whole number of blocks.
 * Names, codes and sizes are those of ggml and of GGUF files.
 */
public enum ElementType {
    F32("f32", 0, 1, 4),
    F16("f16", 1, 1, 2),
    Q4_0("q4_0", 2, 32, 18),
    Q4_1("q4_1", 3, 32, 20),
    Q5_0("q5_0", 6, 32, 22),
    Q5_1("q5_1", 7, 32, 24),
    Q8_0("q8_0", 8, 32, 34),
    Q8_1("q8_1", 9, 32, 36),
    Q2_K("q2_K", 10, 256, 84),
    Q3_K("q3_K", 11, 256, 110),
    Q4_K("q4_K", 12, 256, 144),
    Q5_K("q5_K", 13, 256, 176),
    Q6_K("q6_K", 14, 256, 210),
    Q8_K("q8_K", 15, 256, 292),
    IQ2_XXS("iq2_xxs", 16, 256, 66),
    IQ2_XS("iq2_xs", 17, 256, 74),
    IQ3_XXS("iq3_xxs", 18, 256, 98),
    IQ1_S("iq1_s", 19, 256, 50),
    IQ4_NL("iq4_nl", 20, 32, 18),
    IQ3_S("iq3_s", 21, 256, 110),
    IQ2_S("iq2_s", 22, 256, 82),
    IQ4_XS("iq4_xs", 23, 256, 136),
    I8("i8", 24, 1, 1),
    I16("i16", 25, 1, 2),
    I32("i32", 26, 1, 4),
    I64("i64", 27, 1, 8),
    F64("f64", 28, 1, 8),
    IQ1_M("iq1_m", 29, 256, 56),
    BF16("bf16", 30, 1, 2),
    TQ1_0("tq1_0", 34, 256, 54),
    TQ2_0("tq2_0", 35, 256, 66),
    MXFP4("mxfp4", 39, 32, 17),
    NVFP4("nvfp4", 40, 64, 36),
    Q1_0("q1_0", 41, 128, 18),
    Q2_0("q2_0", 42, 64, 18);

    private final String label;
    private final int code;
    private final int blockSize;
    private final int bytesPerBlock;

    ElementType(String label, int code, int blockSize, int bytesPerBlock) {
        this.label = label;
        this.code = code;
        this.blockSize = blockSize;
        this.bytesPerBlock = bytesPerBlock;
    }

    /** The name ggml and its files use: {@code f32}, {@code q4_K}. */
    public String label() {
        return label;
    }

    /** The number that stands for this type in GGUF files and in ggml's C interface. */
    public int code() {
        return code;
    }

    /** How many elements one block holds; 1 for plain types. */
    public int blockSize() {
        return blockSize;
    }

    /** How many bytes one block takes. */
    public int bytesPerBlock() {
        return bytesPerBlock;
    }

    /** Whether elements come in blocks with shared scales rather than one by one. */
    public boolean isQuantized() {
        return blockSize > 1;
    }

    /** Whether this is one of the whole-number types. */
    public boolean isInteger() {
        return switch (this) {
            case I8, I16, I32, I64 -> true;
            default -> false;
        };
    }

    /** Whether this is a plain floating-point type. */
    public boolean isFloat() {
        return !isQuantized() && !isInteger();
    }

    /**
     * The bytes of a row of {@code elements} elements.
     *
     * @throws InvalidTensorException if the row is not a whole number of blocks or its size overflows
     */
    public long rowBytes(long elements) {
        if (elements < 0 || elements % blockSize != 0) {
            throw new InvalidTensorException("a row of " + elements + " elements is not a whole number of " + label
                    + " blocks: the first dimension must be a multiple of " + blockSize);
        }
        long blocks = elements / blockSize;
        if (Math.multiplyHigh(blocks, bytesPerBlock) != 0 || blocks * bytesPerBlock < 0) {
            throw new InvalidTensorException(
                    "a row of " + elements + " " + label + " elements has more bytes than a long can count");
        }
        return blocks * bytesPerBlock;
    }

    /**
     * The type of that name, upper or lower case.
     *
     * @throws InvalidTensorException if there is none; the message lists those there are
     */
    public static ElementType named(String label) {
        for (ElementType type : values()) {
            if (type.label.equalsIgnoreCase(label)) {
                return type;
            }
        }
        throw new InvalidTensorException("unknown element type '" + label + "'; known are "
                + Arrays.stream(values()).map(ElementType::label).collect(Collectors.joining(", ")));
    }

    /**
     * The type with that code in GGUF files.
     *
     * @throws InvalidTensorException if there is none
     */
    public static ElementType ofCode(int code) {
        for (ElementType type : values()) {
            if (type.code == code) {
                return type;
            }
        }
        throw new InvalidTensorException("unknown element type code " + code);
    }

    @Override
    public String toString() {
        return label;
    }
}
