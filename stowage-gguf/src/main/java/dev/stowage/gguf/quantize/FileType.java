package dev.stowage.gguf.quantize;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a model as a whole is quantised to, by the names and numbers that llama.cpp gives it. Most tensors get one type;
 * those with S, M or L in their name mix in better types where they matter most.
 */
public enum FileType {
    F32(0, ElementType.F32),
    F16(1, ElementType.F16),
    BF16(32, ElementType.BF16),
    Q8_0(7, ElementType.Q8_0),
    Q4_0(2, ElementType.Q4_0),
    Q4_1(3, ElementType.Q4_1),
    Q5_0(8, ElementType.Q5_0),
    Q5_1(9, ElementType.Q5_1),
    Q2_K(10, ElementType.Q2_K),
    Q3_K_S(11, ElementType.Q3_K),
    Q3_K_M(12, ElementType.Q3_K),
    Q3_K_L(13, ElementType.Q3_K),
    Q4_K_S(14, ElementType.Q4_K),
    Q4_K_M(15, ElementType.Q4_K),
    Q5_K_S(16, ElementType.Q5_K),
    Q5_K_M(17, ElementType.Q5_K),
    Q6_K(18, ElementType.Q6_K),
    IQ4_NL(25, ElementType.IQ4_NL),
    IQ4_XS(30, ElementType.IQ4_XS),
    IQ3_S(26, ElementType.IQ3_S),
    IQ3_M(27, ElementType.IQ3_S),
    TQ1_0(36, ElementType.TQ1_0),
    TQ2_0(37, ElementType.TQ2_0),
    // Those that llama.cpp writes and files may be of, but nothing is quantised to here.
    MXFP4_MOE(38, null),
    NVFP4(39, null),
    Q1_0(40, null),
    Q2_0(41, null),
    // Those below need to know how important each column is, which is not known here; files may be of them.
    IQ2_XXS(19, null),
    IQ2_XS(20, null),
    Q2_K_S(21, null),
    IQ3_XS(22, null),
    IQ3_XXS(23, null),
    IQ1_S(24, null),
    IQ2_S(28, null),
    IQ2_M(29, null),
    IQ1_M(31, null);

    private final int code;
    private final @Nullable ElementType most;

    FileType(int code, @Nullable ElementType most) {
        this.code = code;
        this.most = most;
    }

    /** The number that stands for this in a file's metadata. */
    public int code() {
        return code;
    }

    /** Whether a model can be quantised to this here. */
    public boolean isTarget() {
        return most != null;
    }

    /**
     * The type that most tensors get.
     *
     * @throws InvalidTensorException if this is no {@linkplain #isTarget() target}
     */
    public ElementType mostly() {
        if (most == null) {
            String why = switch (this) {
                case MXFP4_MOE, NVFP4, Q1_0, Q2_0 -> " is not supported, though files of it can be read";
                default -> " needs to know how important each column of a tensor is, which is not supported";
            };
            throw new InvalidTensorException("quantising to " + name() + why + "; choose one of " + names());
        }
        return most;
    }

    /** What a model can be quantised to. */
    public static List<FileType> targets() {
        return Arrays.stream(values()).filter(FileType::isTarget).toList();
    }

    /**
     * The target of that name, upper or lower case; a K type without a letter is its medium form.
     *
     * @throws InvalidTensorException if there is none
     */
    public static FileType named(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        String full = switch (upper) {
            case "Q3_K", "Q4_K", "Q5_K" -> upper + "_M";
            default -> upper;
        };
        FileType found = Arrays.stream(values())
                .filter(type -> type.name().equals(full))
                .findFirst()
                .orElseThrow(() -> new InvalidTensorException(
                        "there is no type '" + name + "' to quantise to; there are " + names()));
        found.mostly();
        return found;
    }

    /** The type with that number in a file's metadata, if it is known. */
    public static Optional<FileType> ofCode(long code) {
        return Arrays.stream(values()).filter(type -> type.code == code).findFirst();
    }

    private static String names() {
        return targets().stream().map(FileType::name).collect(Collectors.joining(", "));
    }
}
