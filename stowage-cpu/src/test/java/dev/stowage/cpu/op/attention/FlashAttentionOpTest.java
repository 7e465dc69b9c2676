package dev.stowage.cpu.op.attention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FlashAttentionOpTest {

    /** The mean square of the error, against that of the numbers. */
    private static final double TOLERANCE = 1e-10;

    private static final List<AttentionRun.Mask> MASKS = List.of(AttentionRun.Mask.values());

    @ParameterizedTest
    @CsvSource({"40, 40", "64, 64", "80, 80", "96, 96", "128, 128", "192, 128", "256, 256", "576, 512", "1, 1", "37, 19"
    })
    void servesHeadsOfAnySizeForOneAndForManyQueries(int keySize, int valueSize) {
        for (int queries : new int[] {1, 3, 21}) {
            check(run -> {
                run.keySize = keySize;
                run.valueSize = valueSize;
                run.queries = queries;
                run.cells = 101;
                run.scale = (float) (1 / Math.sqrt(keySize));
                run.mask = AttentionRun.Mask.CAUSAL;
            });
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16", "Q8_0", "Q4_0", "Q5_0", "IQ4_NL"})
    void servesKeysAndValuesOfDifferentTypes(ElementType type) {
        for (int queries : new int[] {1, 20}) {
            check(run -> {
                run.keyType = type;
                run.queries = queries;
                run.cells = 70;
                run.mask = AttentionRun.Mask.RANDOM;
            });
            check(run -> {
                run.valueType = type;
                run.queries = queries;
                run.cells = 70;
            });
        }
    }

    @ParameterizedTest
    @EnumSource(AttentionRun.Mask.class)
    void servesEveryKindOfMask(AttentionRun.Mask mask) {
        for (int queries : new int[] {1, 5, 16, 40, 130}) {
            check(run -> {
                run.queries = queries;
                run.cells = 230;
                run.keySize = 16;
                run.valueSize = 16;
                run.mask = mask;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 18})
    void servesMasksOfTheirOwnForHeadsAndBatches(int queries) {
        check(run -> {
            run.queries = queries;
            run.cells = 50;
            run.batches = 2;
            run.mask = AttentionRun.Mask.RANDOM;
            run.maskHeads = 4;
            run.maskBatches = 2;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 33})
    void addsSlopesAndSinksAndBoundsScores(int queries) {
        check(run -> {
            run.queries = queries;
            run.cells = 99;
            run.heads = 6;
            run.keyHeads = 3;
            run.valueHeads = 3;
            run.maxBias = 8;
            run.cap = 5;
            run.scale = 1;
            run.sunk = true;
            run.mask = AttentionRun.Mask.RANDOM;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 17})
    void givesQueriesThatSeeNothingTheShareOfTheirSink(int queries) {
        check(run -> {
            run.queries = queries;
            run.cells = 64;
            run.sunk = true;
            run.mask = AttentionRun.Mask.CLOSED_ROWS;
        });
    }

    @Test
    void putsRangesOfManyCellsTogether() {
        for (int queries : new int[] {1, 5, 16}) {
            check(run -> {
                run.queries = queries;
                run.cells = 2111;
                run.heads = 2;
                run.keyHeads = 1;
                run.valueHeads = 1;
                run.keySize = 32;
                run.valueSize = 32;
                run.scale = 1;
                run.mask = AttentionRun.Mask.WINDOW;
            });
        }
    }

    @Test
    void servesManyHeadsThatShareOneKey() {
        check(run -> {
            run.heads = 40;
            run.keyHeads = 1;
            run.valueHeads = 1;
            run.cells = 900;
            run.keySize = 72;
            run.valueSize = 64;
        });
    }

    @Test
    void servesFewerHeadsOfValuesThanOfKeys() {
        for (int queries : new int[] {1, 30}) {
            check(run -> {
                run.queries = queries;
                run.heads = 12;
                run.keyHeads = 6;
                run.valueHeads = 4;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void leavesOutWhatTheMaskHidesEvenIfItIsNan(float special) {
        for (int queries : new int[] {1, 20}) {
            AttentionRun run = run(r -> {
                r.queries = queries;
                r.mask = AttentionRun.Mask.RANDOM;
                r.specials = AttentionRun.Specials.HIDDEN;
                r.special = special;
            });
            assertThat(run.on("cpu", 2)).as("%s", run).doesNotContain(Float.NaN);
            compare(run);
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY})
    void carriesSpecialNumbersThatAreSeenAsTheReferenceDoes(float special) {
        for (int queries : new int[] {1, 20}) {
            for (AttentionRun.Specials where :
                    new AttentionRun.Specials[] {AttentionRun.Specials.SEEN_KEY, AttentionRun.Specials.SEEN_VALUE}) {
                check(run -> {
                    run.queries = queries;
                    run.specials = where;
                    run.special = special;
                    run.mask = AttentionRun.Mask.CAUSAL;
                });
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 50})
    void givesTheSameBitsForAnyNumberOfThreads(int queries) {
        AttentionRun run = run(r -> {
            r.queries = queries;
            r.cells = 1500;
            r.mask = AttentionRun.Mask.RANDOM;
        });
        float[] alone = run.on("cpu", 1);
        assertThat(run.on("cpu", 2)).as("%s", run).isEqualTo(alone);
        assertThat(run.on("cpu", 5)).as("%s", run).isEqualTo(alone);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void servesAnyMixture(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 6; i++) {
            check(run -> mix(run, random));
        }
    }

    private static void mix(AttentionRun run, Random random) {
        run.seed = random.nextLong();
        run.keySize = 1 + random.nextInt(150);
        run.valueSize = 1 + random.nextInt(150);
        run.queries = 1 + random.nextInt(random.nextBoolean() ? 4 : 60);
        run.cells = 1 + random.nextInt(250);
        run.keyHeads = 1 + random.nextInt(2);
        run.valueHeads = run.keyHeads;
        run.heads = run.keyHeads * (1 + random.nextInt(7));
        run.keyType = random.nextBoolean() ? ElementType.F32 : ElementType.F16;
        run.batches = 1 + random.nextInt(2);
        run.mask = MASKS.get(random.nextInt(MASKS.size()));
        run.maxBias = run.mask != AttentionRun.Mask.NONE && random.nextBoolean() ? 4 : 0;
        run.cap = random.nextBoolean() ? 0 : 20;
        run.sunk = random.nextBoolean();
    }

    private static AttentionRun run(Consumer<AttentionRun> setting) {
        AttentionRun run = new AttentionRun();
        setting.accept(run);
        return run;
    }

    private static void check(Consumer<AttentionRun> setting) {
        compare(run(setting));
    }

    private static void compare(AttentionRun run) {
        float[] expected = run.on("reference", 1);
        float[] actual = run.on("cpu", 2);
        double error = 0;
        double total = 0;
        for (int i = 0; i < expected.length; i++) {
            if (Float.isFinite(expected[i])) {
                error += Math.pow((double) actual[i] - expected[i], 2);
                total += Math.pow(expected[i], 2);
            } else {
                assertThat(Float.compare(actual[i], expected[i]))
                        .as("element %d of %s: %s, not %s", i, run, actual[i], expected[i])
                        .isZero();
            }
        }
        assertThat(error).as("%s", run).isLessThanOrEqualTo(TOLERANCE * total);
    }
}
