package dev.stowage.cuda.op.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers that kernels and Java code, or kernels and the reference, must agree on. */
class KernelConstantsTest {

    private static final Path KERNELS = Path.of("src/main/cuda");
    private static final Path BOOKS =
            Path.of("../stowage-reference/src/main/resources/dev/stowage/reference/quant/search");

    @Test
    void functionsHaveTheNumbersOfTheKernel() throws IOException {
        Matcher list = find("enum MapFunction \\{(.*?)}", "unary.cu");
        List<String> names = Arrays.stream(list.group(1).split(",", -1))
                .map(name -> name.strip().substring("MAP_".length()))
                .toList();
        assertThat(names).hasSize(MapFunction.values().length);
        for (MapFunction function : MapFunction.values()) {
            assertThat(names.get(function.code())).isEqualTo(function.name());
        }
    }

    /** A book has a bit for each place of its grid, a kernel the coordinates of the places that are set. */
    @ParameterizedTest
    @CsvSource({
        "iq1, 8, 3, 2",
        "iq2_xxs, 8, 3, 2",
        "iq2_xs, 8, 3, 2",
        "iq2_s, 8, 3, 2",
        "iq3_xxs, 4, 8, 3",
        "iq3_s, 4, 8, 3"
    })
    void codebooksAreThoseOfTheReference(String book, int coordinates, int levels, int bits) throws IOException {
        BitSet places = BitSet.valueOf(Files.readAllBytes(BOOKS.resolve(book + ".points")));
        List<Integer> expected = new ArrayList<>();
        places.stream().forEach(place -> {
            int point = 0;
            int rest = place;
            for (int i = 0; i < coordinates; i++) {
                point |= rest % levels << (bits * i);
                rest /= levels;
            }
            expected.add(point);
        });
        String name = "POINTS_" + book.toUpperCase(Locale.ROOT);
        String table =
                find(name + "\\[\\d+] = \\{(.*?)}", "quant_codebooks.cuh").group(1);
        List<Integer> actual = Pattern.compile("0x([0-9a-f]+)")
                .matcher(table)
                .results()
                .map(hex -> Integer.parseInt(hex.group(1), 16))
                .toList();
        assertThat(actual).isEqualTo(expected);
    }

    private static Matcher find(String pattern, String file) throws IOException {
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(Files.readString(KERNELS.resolve(file)));
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher;
    }
}
