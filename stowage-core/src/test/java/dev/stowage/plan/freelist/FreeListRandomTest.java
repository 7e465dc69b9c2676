package dev.stowage.plan.freelist;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Long random sequences of requests, answered by {@link FreeList} and by {@link NaiveFreeList} side by side. */
class FreeListRandomTest {

    private static final int SEQUENCES = 2000;

    private record Piece(int chunk, long offset, long size) {}

    /** One sequence: both lists, and what is taken in them. */
    private static final class Sequence {

        private final long seed;
        private final Random random;
        private final FreeList list;
        private final NaiveFreeList naive;
        private final List<Piece> taken = new ArrayList<>();
        private int most;

        Sequence(long seed, long alignment, long limit) {
            this.seed = seed;
            this.random = new Random(seed);
            this.list = new FreeList(alignment, limit);
            this.naive = new NaiveFreeList(alignment, Math.min(limit, Long.MAX_VALUE / 2));
        }

        void allocate(long size) {
            NaiveFreeList.Place expected = naive.allocate(size);
            long offset = list.allocate(size);
            assertThat(new NaiveFreeList.Place(list.chunk(), offset))
                    .as("seed %d: %d bytes with %d pieces taken", seed, size, taken.size())
                    .isEqualTo(expected);
            taken.add(new Piece(list.chunk(), offset, size));
        }

        void freeOne() {
            int last = taken.size() - 1;
            int chosen = random.nextInt(taken.size());
            Piece freed = taken.get(chosen);
            taken.set(chosen, taken.get(last));
            taken.remove(last);
            free(freed);
        }

        void free(Piece freed) {
            naive.free(freed.chunk, freed.offset, freed.size);
            list.free(freed.chunk, freed.offset, freed.size);
            most = Math.max(most, naive.blockCount(freed.chunk));
        }

        /** Frees the end of a taken piece, as a result that takes over a larger operand does. */
        void freeEndOfOne(long smallest) {
            int chosen = random.nextInt(taken.size());
            Piece whole = taken.get(chosen);
            long padded = list.padded(whole.size);
            long kept = list.padded(random.nextLong(smallest, whole.size + 1));
            if (kept < padded) {
                taken.set(chosen, new Piece(whole.chunk, whole.offset, kept));
                free(new Piece(whole.chunk, whole.offset + kept, padded - kept));
            }
        }

        void assertSameChunks() {
            long[] sizes = list.chunkSizes();
            assertThat(sizes).as("seed %d", seed).hasSize(naive.chunkCount());
            for (int chunk = 0; chunk < sizes.length; chunk++) {
                assertThat(sizes[chunk]).as("seed %d, chunk %d", seed, chunk).isEqualTo(naive.chunkSize(chunk));
            }
        }
    }

    private static Sequence randomSequence(long seed, long smallest) {
        Random random = new Random(seed);
        long alignment = 1L << random.nextInt(8);
        long limit = switch (random.nextInt(5)) {
            case 0 -> 0;
            case 1 -> 1 + random.nextInt(64);
            case 2 -> 200 + random.nextInt(2000);
            case 3 -> 1 << 20;
            default -> Long.MAX_VALUE;
        };
        int largest = 1 + random.nextInt(random.nextBoolean() ? 40 : 600);
        int kinds = random.nextInt(4) == 0 ? 3 : largest;
        double growth = 0.45 + random.nextDouble() * 0.2;
        Sequence sequence = new Sequence(seed, alignment, limit);
        for (int step = 0; step < 200; step++) {
            double dice = random.nextDouble();
            if (sequence.taken.isEmpty() || dice < growth) {
                sequence.allocate(smallest + random.nextInt(kinds) * (long) (largest / kinds));
            } else if (dice < 0.95) {
                sequence.freeOne();
            } else {
                sequence.freeEndOfOne(smallest);
            }
        }
        return sequence;
    }

    @Test
    void choosesAsTheRulesSay() {
        for (long seed = 0; seed < SEQUENCES; seed++) {
            randomSequence(seed, 1).assertSameChunks();
        }
    }

    @Test
    void choosesAsTheRulesSayAmongRequestsForNothing() {
        for (long seed = 0; seed < SEQUENCES; seed++) {
            randomSequence(seed, 0).assertSameChunks();
        }
    }

    @Test
    void choosesAsTheRulesSayAmongThousandsOfHoles() {
        int most = 0;
        for (long seed = 0; seed < 6; seed++) {
            long limit = seed % 2 == 0 ? Long.MAX_VALUE : 300_000;
            Sequence sequence = new Sequence(seed, 1L << seed, limit);
            Random random = new Random(seed);
            for (int i = 0; i < 6000; i++) {
                sequence.allocate(1 + random.nextInt(200));
            }
            for (int i = 0; i < 3000; i++) {
                sequence.freeOne();
            }
            for (int i = 0; i < 12_000; i++) {
                if (random.nextInt(100) < 48) {
                    sequence.allocate(1 + random.nextInt(200));
                } else if (!sequence.taken.isEmpty()) {
                    sequence.freeOne();
                }
            }
            while (!sequence.taken.isEmpty()) {
                sequence.freeOne();
            }
            sequence.allocate(1);
            sequence.assertSameChunks();
            most = Math.max(most, sequence.most);
        }
        assertThat(most).as("holes in one chunk").isGreaterThan(1000);
    }

    /** What is taken from each chunk, checked with every request. */
    private static final class TakenBytes {

        private final Map<Integer, TreeMap<Long, Long>> ends = new HashMap<>();

        void add(long seed, int chunk, long offset, long size) {
            TreeMap<Long, Long> inChunk = ends.computeIfAbsent(chunk, _ -> new TreeMap<>());
            Map.Entry<Long, Long> before = inChunk.lowerEntry(offset + size);

            assertThat(before == null || before.getValue() <= offset)
                    .as("seed %d: whether %d bytes at %d of chunk %d were free", seed, size, offset, chunk)
                    .isTrue();
            inChunk.put(offset, offset + size);
        }

        void remove(int chunk, long offset) {
            ends.getOrDefault(chunk, new TreeMap<>()).remove(offset);
        }
    }

    @Test
    void neverHandsOutTakenBytesAmongThousandsOfHolesAndRequestsForNothing() {
        for (long seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            FreeList list = new FreeList(1, seed % 2 == 0 ? Long.MAX_VALUE : 20_000);
            List<Piece> pieces = new ArrayList<>();
            TakenBytes taken = new TakenBytes();
            for (int step = 0; step < 12_000; step++) {
                boolean grows = random.nextInt(100) < (step < 4000 ? 80 : 45);
                if (grows || pieces.isEmpty()) {
                    long size = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(60);
                    long offset = list.allocate(size);
                    pieces.add(new Piece(list.chunk(), offset, size));
                    if (size > 0) {
                        taken.add(seed, list.chunk(), offset, size);
                    }
                } else {
                    Piece freed = pieces.remove(random.nextInt(pieces.size()));
                    list.free(freed.chunk, freed.offset, freed.size);
                    if (freed.size > 0) {
                        taken.remove(freed.chunk, freed.offset);
                    }
                }
            }
        }
    }
}
