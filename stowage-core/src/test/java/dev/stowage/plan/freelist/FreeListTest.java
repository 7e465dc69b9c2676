package dev.stowage.plan.freelist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.internal.ByteSums;
import dev.stowage.plan.PlannedPlace;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of the free list one by one, on memory small enough to draw. */
class FreeListTest {

    private static final long UNLIMITED = Long.MAX_VALUE;

    /** One chunk and no padding: offsets are what the sizes before add up to. */
    private final FreeList list = new FreeList(1, UNLIMITED);

    /** Takes pieces of these sizes one after the other, and returns their offsets. */
    private static long[] fill(FreeList in, long... sizes) {
        return LongStream.of(sizes).map(in::allocate).toArray();
    }

    private static PlannedPlace next(FreeList in, long size) {
        long offset = in.allocate(size);
        return new PlannedPlace(0, in.chunk(), offset, size);
    }

    private static PlannedPlace at(int chunk, long offset, long size) {
        return new PlannedPlace(0, chunk, offset, size);
    }

    @Nested
    class Sizes {

        @ParameterizedTest
        @CsvSource({"0, 0", "1, 32", "31, 32", "32, 32", "33, 64"})
        void areRoundedUpToTheAlignment(long size, long padded) {
            assertThat(new FreeList(32, UNLIMITED).padded(size)).isEqualTo(padded);
        }

        @Test
        void keepNeighboursAPaddedSizeApart() {
            FreeList aligned = new FreeList(32, UNLIMITED);

            assertThat(fill(aligned, 33, 1, 32)).containsExactly(0, 64, 96);
            assertThat(aligned.chunkSizes()).containsExactly(128);
        }

        @Test
        void ofNothingTakeNothing() {
            assertThat(fill(list, 0, 8, 0, 8)).containsExactly(0, 0, 8, 8);
            assertThat(list.chunkSizes()).containsExactly(16);
        }

        @Test
        void addUpOverTheChunks() {
            FreeList chunked = new FreeList(1, 10);
            fill(chunked, 7, 8, 9);

            assertThat(chunked.chunkSizes()).hasSize(3);
            assertThat(LongStream.of(chunked.chunkSizes()).sum()).isEqualTo(7 + 8 + 9);
        }

        @Test
        void stayAtTheHighestEndThereEverWas() {
            fill(list, 10, 20);
            list.free(0, 10, 20);
            list.free(0, 0, 10);
            fill(list, 5);

            assertThat(list.chunkSizes()[0]).isEqualTo(30);
        }
    }

    @Nested
    class InteriorFit {

        @Test
        void takesTheSmallestHoleThatIsLargeEnough() {
            fill(list, 1, 30, 1, 10, 1, 20, 1);
            list.free(0, 1, 30);
            list.free(0, 32, 10);
            list.free(0, 43, 20);

            assertThat(list.allocate(9)).isEqualTo(32);
        }

        @Test
        void takesTheLaterOneOfEquallyLargeHoles() {
            fill(list, 1, 10, 1, 10, 1);
            list.free(0, 1, 10);
            list.free(0, 12, 10);

            assertThat(list.allocate(10)).isEqualTo(12);
        }

        @Test
        void comesBeforeTheTailEvenWhereTheTailFitsBetter() {
            FreeList limited = new FreeList(1, 50);
            fill(limited, 5, 30, 5);
            limited.free(0, 5, 30);

            assertThat(next(limited, 10))
                    .as("the tail has exactly 10 bytes, the hole 30")
                    .isEqualTo(at(0, 5, 10));
        }

        @Test
        void prefersALaterChunkEvenWhereAnEarlierOneFitsBetter() {
            FreeList chunked = new FreeList(1, 40);
            fill(chunked, 5, 10, 5, 20);
            fill(chunked, 5, 15, 5, 15);
            chunked.free(0, 5, 10);
            chunked.free(0, 20, 20);
            chunked.free(1, 5, 15);
            chunked.free(1, 25, 15);

            assertThat(next(chunked, 10)).isEqualTo(at(1, 5, 10));
        }

        @Test
        void leavesOutTheLastBlockOfAChunkThatHasNoTail() {
            FreeList chunked = new FreeList(1, 40);
            fill(chunked, 5, 10, 5, 10, 10);
            chunked.free(0, 5, 10);
            chunked.free(0, 20, 10);

            assertThat(next(chunked, 10)).as("the hole at 20 is the last block").isEqualTo(at(0, 5, 10));
        }

        @Test
        void takesTheFrontOfTheHole() {
            fill(list, 1, 30, 1);
            list.free(0, 1, 30);

            assertThat(fill(list, 10, 10)).containsExactly(1, 11);
        }

        @Test
        void removesAHoleThatIsUsedUp() {
            fill(list, 1, 30, 1);
            list.free(0, 1, 30);
            list.allocate(30);

            assertThat(list.allocate(1)).isEqualTo(32);
        }
    }

    @Nested
    class TailFit {

        @Test
        void isForWhatNoHoleHolds() {
            fill(list, 1, 30, 1);
            list.free(0, 1, 30);

            assertThat(list.allocate(31)).isEqualTo(32);
        }

        @Test
        void takesTheChunkThatLeavesTheLeastUnusedBelowItsHighWaterMark() {
            FreeList chunked = new FreeList(1, 100);
            fill(chunked, 100, 60);
            chunked.free(0, 0, 100);
            chunked.free(1, 0, 60);

            assertThat(next(chunked, 50)).isEqualTo(at(1, 0, 50));
        }

        @Test
        void prefersAChunkThatNeedNotGrowToAnEarlierOneThatMust() {
            FreeList chunked = new FreeList(1, 100);
            fill(chunked, 90, 100);
            chunked.free(1, 0, 100);

            assertThat(next(chunked, 5)).as("chunk 0 would grow by 5").isEqualTo(at(1, 0, 5));
        }

        @Test
        void prefersAChunkThatNeedNotGrowToALaterOneThatMust() {
            FreeList chunked = new FreeList(1, 100);
            fill(chunked, 100, 90);
            chunked.free(0, 0, 100);

            assertThat(next(chunked, 5)).as("chunk 1 would grow by 5").isEqualTo(at(0, 0, 5));
        }

        @Test
        void growsTheChunkThatGrowsLeast() {
            FreeList chunked = new FreeList(1, 100);
            fill(chunked, 70, 15, 60, 20);
            chunked.free(0, 70, 15);
            chunked.free(1, 60, 20);

            assertThat(next(chunked, 30))
                    .as("chunk 0 would grow by 15, chunk 1 by 10")
                    .isEqualTo(at(1, 60, 30));
            assertThat(chunked.chunkSizes()[1]).isEqualTo(90);
        }

        @Test
        void takesTheEarlierOfEqualChunks() {
            FreeList chunked = new FreeList(1, 100);
            fill(chunked, 70, 80);

            assertThat(next(chunked, 20)).isEqualTo(at(0, 70, 20));
        }

        @Test
        void passesOverTailsThatAreTooSmall() {
            FreeList chunked = new FreeList(1, 100);
            fill(chunked, 90, 70);

            assertThat(next(chunked, 20)).isEqualTo(at(1, 70, 20));
        }
    }

    @Nested
    class NewChunk {

        @Test
        void isOpenedWhereNothingFits() {
            FreeList chunked = new FreeList(1, 100);
            fill(chunked, 60);

            assertThat(next(chunked, 41)).isEqualTo(at(1, 0, 41));
        }

        @Test
        void growsUpToTheLargestBuffer() {
            FreeList chunked = new FreeList(1, 100);
            fill(chunked, 60);

            assertThat(next(chunked, 40)).isEqualTo(at(0, 60, 40));
        }

        @Test
        void isAsLargeAsARequestThatIsLargerThanTheLargestBuffer() {
            FreeList chunked = new FreeList(1, 100);

            assertThat(next(chunked, 250)).isEqualTo(at(0, 0, 250));
            assertThat(next(chunked, 1)).isEqualTo(at(1, 0, 1));
            assertThat(chunked.chunkSizes()[0]).isEqualTo(250);
        }

        @Test
        void isOpenedForEveryRequestWhereBuffersMayHaveNoBytes() {
            FreeList none = new FreeList(8, 0);

            assertThat(next(none, 8)).isEqualTo(at(0, 0, 8));
            assertThat(next(none, 8)).isEqualTo(at(1, 0, 8));
        }

        @Test
        void canBeOneOfAnyNumber() {
            FreeList chunked = new FreeList(1, 1);
            for (int i = 0; i < 1000; i++) {
                assertThat(next(chunked, 1)).isEqualTo(at(i, 0, 1));
            }
        }
    }

    @Nested
    class Freeing {

        @Test
        void joinsTheBlockBefore() {
            fill(list, 1, 10, 10, 1);
            list.free(0, 1, 10);
            list.free(0, 11, 10);

            assertThat(list.allocate(20)).isEqualTo(1);
        }

        @Test
        void joinsTheBlockAfterIt() {
            fill(list, 1, 10, 10, 1);
            list.free(0, 11, 10);
            list.free(0, 1, 10);

            assertThat(list.allocate(20)).isEqualTo(1);
        }

        @Test
        void joinsTheBlocksOnBothSides() {
            fill(list, 1, 10, 10, 10, 1);
            list.free(0, 1, 10);
            list.free(0, 21, 10);
            list.free(0, 11, 10);

            assertThat(list.allocate(30)).isEqualTo(1);
        }

        @Test
        void joinsTheTail() {
            fill(list, 1, 10);
            list.free(0, 1, 10);

            assertThat(list.allocate(1000)).isEqualTo(1);
        }

        @Test
        void makesABlockOfItsOwnWhereNothingTouches() {
            fill(list, 1, 10, 1, 10, 1);
            list.free(0, 1, 10);
            list.free(0, 12, 10);

            assertThat(list.allocate(11)).isEqualTo(23);
        }

        @Test
        void givesBackThePaddedSize() {
            FreeList aligned = new FreeList(32, UNLIMITED);
            fill(aligned, 33, 1);
            aligned.free(0, 0, 33);

            assertThat(aligned.allocate(64)).isZero();
        }

        @Test
        void ofNothingBesideFreeBytesChangesNothing() {
            fill(list, 10, 0);
            list.free(0, 10, 0);

            assertThat(fill(list, 5, 5)).containsExactly(10, 15);
        }

        @Test
        void ofNothingWithinFreeBytesIsAllowed() {
            fill(list, 10, 0);
            list.free(0, 0, 10);
            list.free(0, 10, 0);

            assertThat(list.allocate(20)).isZero();
        }

        @Test
        void ofNothingWithinTakenBytesDoesNotKeepThemFromBeingFreed() {
            fill(list, 10, 0);
            list.free(0, 0, 10);
            list.allocate(20);
            list.free(0, 10, 0);
            list.free(0, 0, 20);

            assertThat(list.allocate(20)).isZero();
        }
    }

    @Nested
    class Refusals {

        /** Two lists in the same state: what the first refuses must leave it like the second. */
        private final FreeList accepting = new FreeList(1, 100);

        private final FreeList refusing = new FreeList(1, 100);

        Refusals() {
            for (FreeList each : new FreeList[] {refusing, accepting}) {
                fill(each, 10, 20, 10, 30, 80);
                each.free(0, 10, 20);
            }
        }

        private void assertRefused(ThrowingCallable call, String... words) {
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(call)
                    .satisfies(refusal -> assertThat(words)
                            .allSatisfy(word -> assertThat(refusal).hasMessageContaining(word)));
            for (int size : new int[] {0, 5, 20, 7, 15, 1, 25, 60, 100}) {
                assertThat(next(refusing, size)).as("after the refusal").isEqualTo(next(accepting, size));
            }
            assertThat(refusing.chunkSizes()).isEqualTo(accepting.chunkSizes());
        }

        @Test
        void ofWhatIsFreeAlready() {
            assertRefused(() -> refusing.free(0, 10, 20), "20", "10");
        }

        @Test
        void ofARangeThatBeginsInFreeBytes() {
            assertRefused(() -> refusing.free(0, 25, 10), "25", "10");
        }

        @Test
        void ofARangeThatEndsInFreeBytes() {
            assertRefused(() -> refusing.free(0, 5, 10), "5", "10");
        }

        @Test
        void ofARangeAroundFreeBytes() {
            assertRefused(() -> refusing.free(0, 0, 40), "40");
        }

        @Test
        void ofARangeThatTouchesFreeBytesAndRunsIntoOthers() {
            assertRefused(() -> refusing.free(0, 30, 60), "60", "30");
        }

        @Test
        void ofBytesThatWereNeverAllocated() {
            assertRefused(() -> refusing.free(1, 80, 1), "80");
        }

        @Test
        void ofAChunkThatIsNotThere() {
            assertRefused(() -> refusing.free(2, 0, 1));
        }

        @Test
        void ofANegativeChunk() {
            assertRefused(() -> refusing.free(-1, 0, 1));
        }

        @Test
        void ofANegativeOffset() {
            assertRefused(() -> refusing.free(0, -1, 1), "-1");
        }

        @Test
        void ofANegativeSizeToFree() {
            assertRefused(() -> refusing.free(0, 0, -1), "-1");
        }

        @Test
        void ofANegativeSizeToTake() {
            assertRefused(() -> refusing.allocate(-1), "-1");
        }

        @Test
        void ofASizeThatCannotBePadded() {
            assertRefused(() -> refusing.allocate(Long.MAX_VALUE), Long.toString(Long.MAX_VALUE));
        }

        @Test
        void ofASizeToFreeThatCannotBePadded() {
            assertRefused(() -> refusing.free(0, 0, Long.MAX_VALUE), Long.toString(Long.MAX_VALUE));
        }

        @Test
        void ofATotalThatALongCannotCount() {
            long half = Long.MAX_VALUE / 2;
            fill(list, half, half, half);

            assertThatExceptionOfType(InvalidPlanException.class).isThrownBy(() -> ByteSums.sum(list.chunkSizes()));
        }

        @ParameterizedTest
        @ValueSource(longs = {0, 3, 48, -1, -8, Long.MIN_VALUE, Long.MAX_VALUE})
        void ofAnAlignmentThatIsNotAPowerOfTwo(long alignment) {
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> new FreeList(alignment, UNLIMITED))
                    .withMessageContaining(Long.toString(alignment));
        }

        @Test
        void ofANegativeLargestChunk() {
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> new FreeList(1, -1))
                    .withMessageContaining("-1");
        }
    }
}
