package dev.stowage.reference.quant.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CodebookTest {

    static Stream<Arguments> books() {
        return Stream.of(
                Arguments.of(Codebook.IQ1, 8, 3, 2048, 3),
                Arguments.of(Codebook.IQ2_XXS, 8, 3, 256, 2),
                Arguments.of(Codebook.IQ2_XS, 8, 3, 512, 2),
                Arguments.of(Codebook.IQ2_S, 8, 3, 1024, 1),
                Arguments.of(Codebook.IQ3_XXS, 4, 8, 256, 2),
                Arguments.of(Codebook.IQ3_S, 4, 8, 512, 3));
    }

    private static int[] point(Codebook book, int number) {
        return IntStream.range(0, book.dimension())
                .map(i -> book.level(number, i))
                .toArray();
    }

    private static int distance(int[] one, int[] other) {
        return IntStream.range(0, one.length)
                .map(i -> (one[i] - other[i]) * (one[i] - other[i]))
                .sum();
    }

    @ParameterizedTest
    @MethodSource("books")
    void hasAsManyPointsAsItsNumbersCanSay(Codebook book, int dimension, int levels, int size) {
        assertThat(book.dimension()).isEqualTo(dimension);
        assertThat(book.levels()).isEqualTo(levels);
        assertThat(book.size()).isEqualTo(size);
    }

    @ParameterizedTest
    @MethodSource("books")
    void findsEveryPointByItsCoordinates(Codebook book) {
        for (int number = 0; number < book.size(); number++) {
            int code = book.code(point(book, number), 0);
            assertThat(book.contains(code)).isTrue();
            assertThat(book.number(code)).isEqualTo(number);
        }
    }

    @ParameterizedTest
    @MethodSource("books")
    void beginsAtTheCornerOfTheGrid(Codebook book) {
        assertThat(point(book, 0)).containsOnly(0);
    }

    @ParameterizedTest
    @MethodSource("books")
    void knowsThePointsAroundAPlace(Codebook book, int dimension, int levels, int size, int shells) {
        Random random = new Random(3);
        for (int round = 0; round < 50; round++) {
            int[] place = random.ints(dimension, 0, levels).toArray();
            List<Integer> distances = IntStream.range(0, size)
                    .map(number -> distance(place, point(book, number)))
                    .boxed()
                    .toList();
            int farthest = distances.stream()
                    .distinct()
                    .sorted()
                    .skip(shells - 1)
                    .findFirst()
                    .orElseThrow();
            int[] expected = IntStream.range(0, size)
                    .filter(number -> distances.get(number) <= farthest)
                    .boxed()
                    .sorted((a, b) -> {
                        int byDistance = distances.get(a).compareTo(distances.get(b));
                        return byDistance != 0 ? byDistance : Integer.compare(a, b);
                    })
                    .mapToInt(Integer::intValue)
                    .toArray();

            assertThat(book.near(book.code(place, 0)))
                    .as(Arrays.toString(place))
                    .isEqualTo(expected);
        }
    }
}
