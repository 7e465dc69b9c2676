package dev.stowage.cuda.op.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tables of {@code codebooks.cuh} against the resources that the reference reads its codebooks from. */
class CodebooksTest {

    private static final Path TABLES = Path.of("src/main/cuda/codebooks.cuh");
    private static final Path POINTS =
            Path.of("../stowage-reference/src/main/resources/dev/stowage/reference/quant/search");

    @ParameterizedTest
    @CsvSource({
        "iq1, 8, 3, 2",
        "iq2_xxs, 8, 3, 2",
        "iq2_xs, 8, 3, 2",
        "iq2_s, 8, 3, 2",
        "iq3_xxs, 4, 8, 3",
        "iq3_s, 4, 8, 3"
    })
    void areThoseOfTheReference(String name, int dimension, int levels, int bits) throws IOException {
        BitSet points = BitSet.valueOf(Files.readAllBytes(POINTS.resolve(name + ".points")));
        List<Integer> packed = new ArrayList<>();
        points.stream().forEach(code -> packed.add(pack(code, dimension, levels, bits)));

        assertThat(table(name)).isEqualTo(packed);
    }

    /** Coordinates are digits of the code, the first the least significant one. */
    private static int pack(int code, int dimension, int levels, int bits) {
        int rest = code;
        int point = 0;
        for (int i = 0; i < dimension; i++) {
            point |= rest % levels << (bits * i);
            rest /= levels;
        }
        return point;
    }

    private static List<Integer> table(String name) throws IOException {
        Matcher matcher =
                Pattern.compile("codebook_" + name + "\\[\\d+] = \\{([^}]*)}").matcher(Files.readString(TABLES));
        assertThat(matcher.find()).isTrue();
        return Arrays.stream(matcher.group(1).split(","))
                .map(String::strip)
                .filter(number -> !number.isEmpty())
                .map(Integer::valueOf)
                .toList();
    }
}
