package dev.stowage.bench.ops;

/** One way to compute a workload, ready to run any number of times. Belongs to one thread. */
interface Contender extends AutoCloseable {

    /** How many nanoseconds a second has. */
    double NANOS = 1e9;

    /** Which of a side's ways it is: {@code plain}, {@code repacked}. */
    String variant();

    /** Called before runs that follow each other; threads may wake up. */
    default void begin() {}

    /** Computes everything once. */
    void run();

    /** The seconds that one of so many runs takes that follow each other. */
    default double seconds(int runs) {
        long start = System.nanoTime();
        for (int run = 0; run < runs; run++) {
            run();
        }
        return (System.nanoTime() - start) / NANOS / runs;
    }

    /** Called after the runs; nothing may be left running that would take time from others. */
    default void end() {}

    /** The numbers that came out. */
    double[] result();

    @Override
    void close();
}
