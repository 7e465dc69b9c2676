package dev.stowage.cpu.team;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A team does all of a task, whatever its size and however many threads there are, and is quiet in between. */
class ThreadTeamTest {

    private static final int[] PIECES = {1, 2, 3, 4, 7, 8, 9, 16, 33, 1000};

    /** Far longer than anything here takes, for machines that are busy with something else. */
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(60);

    /** A task that does the same for each piece. */
    private static ParallelTask task(int pieces, IntConsumer work) {
        return new ParallelTask(pieces) {
            @Override
            public void run(int piece, int thread) {
                work.accept(piece);
            }
        };
    }

    private static List<Thread> threadsOf(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name + "-"))
                .toList();
    }

    private static boolean becomesTrue(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void doesEveryPieceOnce(int threads) {
        try (ThreadTeam team = new ThreadTeam(threads, "pieces")) {
            team.begin();
            for (int pieces : PIECES) {
                AtomicIntegerArray done = new AtomicIntegerArray(pieces);
                team.run(task(pieces, done::incrementAndGet));
                for (int piece = 0; piece < pieces; piece++) {
                    assertThat(done.get(piece))
                            .as("piece %d of %d", piece, pieces)
                            .isEqualTo(1);
                }
            }
            team.end();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 8})
    void neverGivesTheSameNumberToTwoThreadsAtOnce(int threads) {
        AtomicIntegerArray busy = new AtomicIntegerArray(threads);
        AtomicInteger clashes = new AtomicInteger();
        ParallelTask task = new ParallelTask(1000) {
            @Override
            public void run(int piece, int thread) {
                if (busy.incrementAndGet(thread) != 1) {
                    clashes.incrementAndGet();
                }
                busy.decrementAndGet(thread);
            }
        };
        try (ThreadTeam team = new ThreadTeam(threads, "numbers")) {
            team.begin();
            for (int run = 0; run < 20; run++) {
                team.run(task);
            }
            team.end();
        }
        assertThat(clashes).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void coversEveryItemOfARangeOnce(long seed) {
        Random random = new Random(seed);
        try (ThreadTeam team = new ThreadTeam(3, "ranges")) {
            team.begin();
            for (int run = 0; run < 100; run++) {
                int items = 1 + random.nextInt(500);
                AtomicIntegerArray done = new AtomicIntegerArray(items);
                double nanosPerItem = Math.pow(10, random.nextInt(6) - 1);
                team.run(new RangeTask(items, nanosPerItem, 3) {
                    @Override
                    protected void run(long from, long to, int thread) {
                        for (long item = from; item < to; item++) {
                            done.incrementAndGet((int) item);
                        }
                    }
                });
                for (int item = 0; item < items; item++) {
                    assertThat(done.get(item))
                            .as("seed %d, item %d of %d", seed, item, items)
                            .isEqualTo(1);
                }
            }
            team.end();
        }
    }

    @Test
    void leavesLittleWorkInOnePiece() {
        RangeTask task = new RangeTask(10, 1, 8) {
            @Override
            protected void run(long from, long to, int thread) {}
        };
        assertThat(task.pieces()).isEqualTo(1);
    }

    @Test
    void givesEveryThreadAPieceOfMuchWork() {
        RangeTask task = new RangeTask(1000, 1000, 8) {
            @Override
            protected void run(long from, long to, int thread) {}
        };
        assertThat(task.pieces()).isGreaterThanOrEqualTo(8);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void handsOutWhatAPieceThrows(int threads) {
        try (ThreadTeam team = new ThreadTeam(threads, "failing")) {
            team.begin();
            for (int bad = 0; bad < 12; bad++) {
                IllegalStateException thrown = new IllegalStateException("piece " + bad);
                int number = bad;
                ParallelTask failing = task(12, piece -> {
                    if (piece == number) {
                        throw thrown;
                    }
                });
                assertThatThrownBy(() -> team.run(failing)).isSameAs(thrown);
            }
            team.end();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void goesOnAfterAFailure(int threads) {
        try (ThreadTeam team = new ThreadTeam(threads, "recovering")) {
            team.begin();
            for (int run = 0; run < 50; run++) {
                assertThatThrownBy(() -> team.run(task(20, piece -> {
                            throw new IllegalStateException("piece " + piece);
                        })))
                        .isInstanceOf(IllegalStateException.class);
                AtomicInteger done = new AtomicInteger();
                assertThatCode(() -> team.run(task(20, _ -> done.incrementAndGet())))
                        .doesNotThrowAnyException();
                assertThat(done).hasValue(20);
            }
            team.end();
        }
    }

    @Test
    void handsOutErrorsToo() {
        AssertionError thrown = new AssertionError("not an exception");
        try (ThreadTeam team = new ThreadTeam(2, "errors")) {
            team.begin();
            assertThatThrownBy(() -> team.run(task(2, _ -> {
                        throw thrown;
                    })))
                    .isSameAs(thrown);
            team.end();
        }
    }

    @Test
    void hasNoThreadsLeftOnceClosed() {
        ThreadTeam team = new ThreadTeam(5, "closing");
        team.begin();
        team.run(task(100, _ -> {}));
        team.end();
        assertThat(threadsOf("closing")).hasSize(4);
        team.close();
        assertThat(threadsOf("closing")).noneMatch(Thread::isAlive);
    }

    @Test
    void canBeClosedWhileItsThreadsWaitForATask() {
        ThreadTeam team = new ThreadTeam(3, "spinning");
        team.begin();
        team.close();
        assertThat(threadsOf("spinning")).noneMatch(Thread::isAlive);
    }

    @Test
    void keepsAnInterruptionThatCameWhileClosing() {
        ThreadTeam team = new ThreadTeam(3, "interrupted");
        Thread.currentThread().interrupt();
        team.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(threadsOf("interrupted")).noneMatch(Thread::isAlive);
    }

    @Test
    void sleepsBetweenGraphs() {
        try (ThreadTeam team = new ThreadTeam(4, "sleeping")) {
            for (int graph = 0; graph < 3; graph++) {
                team.begin();
                AtomicInteger done = new AtomicInteger();
                team.run(task(50, _ -> done.incrementAndGet()));
                assertThat(done).hasValue(50);
                team.end();
                assertThat(becomesTrue(() ->
                                threadsOf("sleeping").stream().allMatch(t -> t.getState() == Thread.State.WAITING)))
                        .as("all threads of the team wait, after graph %d", graph)
                        .isTrue();
            }
        }
    }

    @Test
    void worksWhetherItsThreadsSleepAlreadyOrNot() {
        AtomicInteger done = new AtomicInteger();
        ParallelTask task = task(4, _ -> done.incrementAndGet());
        try (ThreadTeam team = new ThreadTeam(2, "dozing")) {
            for (int graph = 0; graph < 2000; graph++) {
                team.begin();
                team.run(task);
                team.end();
                for (int i = graph % 100; i > 0; i--) {
                    Thread.onSpinWait();
                }
            }
        }
        assertThat(done).hasValue(4 * 2000);
    }

    @Test
    void doesNotDisturbAnotherTeam() throws InterruptedException {
        AtomicIntegerArray sums = new AtomicIntegerArray(2);
        Thread[] callers = new Thread[2];
        for (int caller = 0; caller < callers.length; caller++) {
            int number = caller;
            callers[caller] = Thread.ofPlatform().start(() -> {
                try (ThreadTeam team = new ThreadTeam(3, "neighbour" + number)) {
                    team.begin();
                    for (int run = 0; run < 200; run++) {
                        team.run(task(10, _ -> sums.incrementAndGet(number)));
                    }
                    team.end();
                }
            });
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(sums.get(0)).isEqualTo(2000);
        assertThat(sums.get(1)).isEqualTo(2000);
    }

    @Test
    void seesWhatTheCallerWroteBefore() {
        int[] plain = new int[64];
        AtomicInteger wrong = new AtomicInteger();
        try (ThreadTeam team = new ThreadTeam(2, "visible")) {
            team.begin();
            for (int run = 1; run <= 2000; run++) {
                int expected = run;
                plain[run % plain.length] = run;
                team.run(task(2, piece -> {
                    if (plain[expected % plain.length] != expected) {
                        wrong.incrementAndGet();
                    }
                }));
            }
            team.end();
        }
        assertThat(wrong).hasValue(0);
    }
}
