package dev.stowage.cpu.team;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Teams share threads: no more run than there are processors, and no team waits for one that does not run. */
class WorkersTest {

    /** Far longer than anything here takes, for machines that are busy with something else. */
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(60);

    private final List<Thread> threads = new ArrayList<>();

    /** Starts threads as they should be, and notes them. */
    private final ThreadFactory noting = work -> {
        Thread thread = Thread.ofPlatform().daemon().unstarted(work);
        threads.add(thread);
        return thread;
    };

    /** A task that counts which threads did its pieces. */
    private static final class Counting extends ParallelTask {

        final AtomicInteger byCaller = new AtomicInteger();
        final AtomicInteger byWorkers = new AtomicInteger();

        Counting(int pieces) {
            super(pieces);
        }

        @Override
        public void run(int piece, int thread) {
            (thread == 0 ? byCaller : byWorkers).incrementAndGet();
            // Lets others run, so that workers get pieces on a machine with a single processor too.
            Thread.onSpinWait();
        }

        int all() {
            return byCaller.get() + byWorkers.get();
        }
    }

    private static boolean becomesTrue(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - start > LIMIT) {
                return false;
            }
        }
        return true;
    }

    /** Runs tasks until a worker has done a piece. */
    private static boolean isHelped(ThreadTeam team) {
        Counting task = new Counting(100);
        return becomesTrue(() -> {
            team.run(task);
            return task.byWorkers.get() > 0;
        });
    }

    @Test
    void severalTeamsHaveNoMoreThreadsThanOne() {
        Workers workers = new Workers(4, noting);
        try (ThreadTeam first = new ThreadTeam(workers, 4);
                ThreadTeam second = new ThreadTeam(workers, 4);
                ThreadTeam third = new ThreadTeam(workers, 2)) {
            assertThat(threads).hasSize(3);
            for (ThreadTeam team : List.of(first, second, third)) {
                team.begin();
                assertThat(isHelped(team)).isTrue();
                team.end();
            }
            assertThat(threads).hasSize(3);
        }
    }

    @Test
    void threadsEndWithTheLastTeamAndStartWithTheNext() {
        Workers workers = new Workers(2, noting);
        ThreadTeam first = new ThreadTeam(workers, 2);
        ThreadTeam second = new ThreadTeam(workers, 2);
        first.close();
        assertThat(threads).allMatch(Thread::isAlive);
        second.close();
        assertThat(threads).noneMatch(Thread::isAlive);
        try (ThreadTeam third = new ThreadTeam(workers, 2)) {
            third.begin();
            assertThat(isHelped(third)).isTrue();
            third.end();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aTeamHasNoMoreThreadsThanThereAreProcessors(int processors) {
        try (ThreadTeam team = new ThreadTeam(new Workers(processors, noting), 1000)) {
            assertThat(team.threads()).isEqualTo(processors);
            assertThat(threads).hasSize(processors - 1);
        }
    }

    @Test
    void theCallerDoesEverythingIfNoWorkerRuns() {
        CountDownLatch latch = new CountDownLatch(1);
        ThreadFactory stuck = work -> noting.newThread(() -> {
            try {
                latch.await();
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
            work.run();
        });
        try (ThreadTeam team = new ThreadTeam(new Workers(4, stuck), 4)) {
            Counting task = new Counting(1000);
            team.begin();
            team.run(task);
            team.end();
            assertThat(task.byCaller).hasValue(1000);
            latch.countDown();
        }
    }

    @Test
    void aWorkerThatIsHeldUpKeepsOnlyItsPiece() {
        AtomicInteger done = new AtomicInteger();
        AtomicBoolean stuck = new AtomicBoolean();
        int pieces = 100;
        ParallelTask task = new ParallelTask(pieces) {
            @Override
            public void run(int piece, int thread) {
                if (thread != 0) {
                    // Goes on when all the others are done, which it can only see if they are done without it.
                    stuck.compareAndSet(false, !becomesTrue(() -> done.get() % pieces == pieces - 1));
                }
                done.incrementAndGet();
            }
        };
        try (ThreadTeam team = new ThreadTeam(new Workers(2, noting), 2)) {
            team.begin();
            for (int run = 1; run <= 50; run++) {
                team.run(task);
                assertThat(done).hasValue(run * pieces);
            }
            team.end();
        }
        assertThat(stuck).isFalse();
    }

    @Test
    void aWorkerGoesToSleepWhenItsProcessorIsNeededByAnotherCaller() {
        Workers workers = new Workers(2, noting);
        try (ThreadTeam first = new ThreadTeam(workers, 2);
                ThreadTeam second = new ThreadTeam(workers, 2)) {
            first.begin();
            assertThat(isHelped(first)).isTrue();
            second.begin();
            assertThat(becomesTrue(() -> {
                        first.run(new Counting(10));
                        return threads.getFirst().getState() == Thread.State.WAITING;
                    }))
                    .as("the worker sleeps while two callers run")
                    .isTrue();
            Counting alone = new Counting(1000);
            first.run(alone);
            second.run(alone);
            assertThat(alone.byCaller).hasValue(2000);
            second.end();
            assertThat(isHelped(first)).as("it comes back").isTrue();
            first.end();
        }
    }

    @Test
    void workersAreSharedEvenly() throws InterruptedException {
        Workers workers = new Workers(4, noting);
        AtomicBoolean bothHelped = new AtomicBoolean();
        AtomicInteger helped = new AtomicInteger();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            callers.add(Thread.ofPlatform().start(() -> {
                try (ThreadTeam team = new ThreadTeam(workers, 4)) {
                    team.begin();
                    boolean counted = isHelped(team);
                    helped.addAndGet(counted ? 1 : 0);
                    // Goes on until the other was helped too, in this one and the same graph.
                    boolean seen = becomesTrue(() -> {
                        team.run(new Counting(100));
                        return helped.get() == 2;
                    });
                    bothHelped.compareAndSet(false, seen);
                    team.end();
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(bothHelped).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void worksWithTheThreadsItGets(int available) {
        ThreadFactory scarce = work -> {
            boolean given = threads.size() < available;
            return given
                    ? noting.newThread(work)
                    : new Thread(work) {
                        @Override
                        public void start() {
                            throw new OutOfMemoryError("unable to create native thread");
                        }
                    };
        };
        try (ThreadTeam team = new ThreadTeam(new Workers(8, scarce), 8)) {
            AtomicIntegerArray done = new AtomicIntegerArray(200);
            assertThat(threads).hasSize(available);
            team.begin();
            team.run(new ParallelTask(200) {
                @Override
                public void run(int piece, int thread) {
                    done.incrementAndGet(piece);
                }
            });
            team.end();
            for (int piece = 0; piece < 200; piece++) {
                assertThat(done.get(piece)).isEqualTo(1);
            }
        }
        assertThat(threads).noneMatch(Thread::isAlive);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 8})
    void manyCallersGetAllTheirPiecesDone(int processors) throws InterruptedException {
        Workers workers = new Workers(processors, noting);
        AtomicInteger wrong = new AtomicInteger();
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int wanted = 1 + i;
            callers.add(Thread.ofPlatform().start(() -> wrong.addAndGet(wrongRuns(workers, wanted))));
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(wrong).hasValue(0);
        assertThat(threads).noneMatch(Thread::isAlive);
    }

    private static int wrongRuns(Workers workers, int wanted) {
        int wrong = 0;
        try (ThreadTeam team = new ThreadTeam(workers, wanted)) {
            for (int graph = 0; graph < 20; graph++) {
                team.begin();
                for (int run = 1; run < 50; run++) {
                    Counting task = new Counting(run);
                    team.run(task);
                    wrong += task.all() == run ? 0 : 1;
                }
                team.end();
            }
        }
        return wrong;
    }

    @Test
    void countsCallersAgainAfterAFailure() {
        Workers workers = new Workers(2, noting);
        try (ThreadTeam team = new ThreadTeam(workers, 2)) {
            for (int run = 0; run < 100; run++) {
                team.begin();
                assertThatCode(() -> team.run(new ParallelTask(10) {
                            @Override
                            public void run(int piece, int thread) {
                                throw new IllegalStateException("piece " + piece);
                            }
                        }))
                        .isInstanceOf(IllegalStateException.class);
                team.end();
            }
            team.begin();
            assertThat(isHelped(team)).isTrue();
            team.end();
        }
    }
}
