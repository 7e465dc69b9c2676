package dev.stowage.bench.ops;

/** One way to compute a workload, ready to run any number of times. Belongs to one thread. */
interface Contender extends AutoCloseable {

    /** Which of a side's ways it is: {@code plain}, {@code repacked}. */
    String variant();

    /** Called before runs that follow each other; threads may wake up. */
    default void begin() {}

    /** Computes everything once. */
    void run();

    /** Called after the runs; nothing may be left running that would take time from others. */
    default void end() {}

    /** The numbers that came out. */
    double[] result();

    @Override
    void close();
}
