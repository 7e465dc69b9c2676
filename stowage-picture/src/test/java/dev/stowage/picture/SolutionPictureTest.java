package dev.stowage.picture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import dev.stowage.packing.Solution;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SolutionPictureTest {

    private static final Pattern RECTANGLE = Pattern.compile(
            "<rect x=\"([\\d.]+)\" y=\"([\\d.]+)\" width=\"([\\d.]+)\" height=\"([\\d.]+)\" class=\"(?:block|thin)");

    private static Solution packed(Problem problem) {
        return Packers.named("size").pack(problem, Budget.unlimited()).solution();
    }

    private static String picture(Problem problem) {
        return SolutionPicture.svg(problem, packed(problem));
    }

    private static Problem many(int count) {
        SplittableRandom random = new SplittableRandom(1);
        ProblemBuilder builder = Problem.builder();
        builder.add("the large one", 0, 100_000, 1L << 30);
        for (int i = 1; i < count; i++) {
            long from = random.nextLong(99_000);
            builder.add(from, from + 1 + random.nextLong(1000), 1 + random.nextLong(1 << 16));
        }
        return builder.build();
    }

    private static Problem random(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ProblemBuilder builder = Problem.builder();
        for (int i = 0; i < 30; i++) {
            long from = random.nextLong(20);
            builder.add(from, from + 1 + random.nextLong(10), 1 + random.nextLong(100));
        }
        return builder.build();
    }

    /** How many buffers say what they are; the first title is that of the picture. */
    private static long titledBuffers(String picture) {
        return Pattern.compile("<title>").matcher(picture).results().count() - 1;
    }

    @Test
    void everyBufferIsARectangleThatSaysWhatItIs() {
        Problem problem = Problem.builder()
                .add("conv1", 0, 3, 4096)
                .addFixed("relu1", 3, 9, 4096, 8192)
                .build();

        assertThat(picture(problem))
                .contains("<title>conv1\n4.00 KiB (4,096 bytes) at 0\nlive in [0, 3)</title>")
                .contains("<title>relu1\n4.00 KiB (4,096 bytes) at 8,192, fixed\nlive in [3, 9)</title>")
                .contains(">conv1</text>", ">relu1</text>");
    }

    @Test
    void rectanglesOverlapNowhere() {
        for (long seed = 0; seed < 20; seed++) {
            Problem problem = random(seed);
            List<double[]> seen = new ArrayList<>();
            Matcher matcher = RECTANGLE.matcher(picture(problem));
            while (matcher.find()) {
                double[] next = new double[4];
                for (int i = 0; i < 4; i++) {
                    next[i] = Double.parseDouble(matcher.group(i + 1));
                }
                for (double[] other : seen) {
                    double wide = Math.min(next[0] + next[2], other[0] + other[2]) - Math.max(next[0], other[0]);
                    double high = Math.min(next[1] + next[3], other[1] + other[3]) - Math.max(next[1], other[1]);
                    // Thin rectangles are drawn a little thicker than they are.
                    assertThat(Math.min(wide, high)).as("seed %d", seed).isLessThan(0.45);
                }
                seen.add(next);
            }
            assertThat(seen).as("seed %d", seed).isNotEmpty();
        }
    }

    @Test
    void heightAndLowerBoundAreLinesWithTheirSizes() {
        Problem problem = Problem.builder().add(0, 2, 1024).add(1, 3, 1024).build();

        assertThat(SolutionPicture.svg(problem, Solution.of(problem, new long[] {0, 2048})))
                .contains("<path class=\"plan\"", ">height 3.00 KiB<")
                .contains("<path class=\"bound\"", ">lower bound 2.00 KiB<");
    }

    @Test
    void whereTheHeightIsTheLowerBoundThereIsOneLine() {
        Problem problem = Problem.builder().add(0, 2, 1024).add(1, 3, 1024).build();

        assertThat(SolutionPicture.svg(problem, Solution.of(problem, new long[] {0, 1024})))
                .contains(">height 2.00 KiB = lower bound<")
                .doesNotContain("<path class=\"bound\"");
    }

    @Test
    void theBoundThatAPackerProvedIsTheOneDrawn() {
        Problem problem = Problem.builder().add(0, 2, 1024).build();
        PackingResult result =
                new PackingResult(Solution.of(problem, new long[] {3072}), 2048, 1, PackingResult.Outcome.GAVE_UP);

        assertThat(SolutionPicture.svg(problem, result)).contains(">lower bound 2.00 KiB<", ">height 4.00 KiB<");
    }

    @Test
    void whatIsLiveAtTheFullestMomentStandsOut() {
        Problem problem = Problem.builder()
                .add("long", 0, 9, 10)
                .add("early", 0, 3, 10)
                .add("late", 5, 9, 20)
                .build();

        String picture = picture(problem);
        assertThat(picture).containsPattern("class=\"block atPeak\"><title>long\n");
        assertThat(picture).containsPattern("class=\"block usual\"><title>early\n");
        assertThat(picture).containsPattern("class=\"block atPeak\"><title>late\n");
    }

    @Test
    void tensOfThousandsOfBuffersLeaveTheSmallOnesWithoutWords() {
        Problem problem = many(30_000);
        String picture = picture(problem);

        long titles = titledBuffers(picture);
        assertThat(titles).isBetween(1L, 10_000L);
        assertThat(picture)
                .contains("<title>the large one\n")
                .contains(String.format(Locale.ROOT, "%,d buffers too small for words", 30_000 - titles));
        assertThat(picture.length()).isLessThan(4 << 20);
    }

    @Test
    void amongFewBuffersEachHasWordsHoweverSmall() {
        String picture = picture(many(2000));
        assertThat(titledBuffers(picture)).isEqualTo(2000);
        assertThat(picture).doesNotContain("too small");
    }

    @Test
    void buffersWithoutBytesAreNotDrawn() {
        Problem problem =
                Problem.builder().add("empty", 0, 2, 0).add("full", 0, 2, 8).build();
        assertThat(picture(problem)).contains("full").doesNotContain("empty");
    }

    @Test
    void aProblemWithoutBytesIsSaidToNeedNone() {
        for (Problem problem : new Problem[] {
            Problem.builder().build(), Problem.builder().add(0, 2, 0).build()
        }) {
            assertThat(picture(problem))
                    .contains("This packing needs no memory.")
                    .endsWith("</svg>\n");
        }
    }

    @Test
    void anyMomentsAndNamesGiveAPicture() {
        Problem problem = Problem.builder()
                .add("<&\"> \u0007", Long.MIN_VALUE, Long.MAX_VALUE, 1)
                .add(Long.MAX_VALUE - 1, Long.MAX_VALUE, 1)
                .build();
        assertThat(picture(problem))
                .contains("<title>&lt;&amp;&quot;&gt; \uFFFD\n")
                .doesNotContain("\u0007", "NaN", "Infinity");
    }

    @Test
    void momentsThatAreHardToTellApartGiveAPictureToo() {
        Problem late =
                Problem.builder().add(Long.MAX_VALUE - 3, Long.MAX_VALUE, 1).build();
        assertThat(picture(late)).contains("live in [").doesNotContain("NaN", "Infinity");
    }
}
