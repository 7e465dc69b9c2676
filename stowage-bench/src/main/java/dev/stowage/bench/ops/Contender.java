package dev.stowage.bench.ops;

/** One way to compute a workload, ready to run as often as one likes. Belongs to one thread. */
interface Contender extends AutoCloseable {

    /** Which of a side's ways it is: {@code plain}, {@code repacked}. */
    String variant();

    /** Called before runs that follow each other; threads may wake up. */
    default void begin() {}

    /** Computes everything once. */
    void run();

    /** Called behind them; nothing may be left running that would take time from others. */
    default void end() {}

    /** The numbers that came out. */
    double[] result();

    @Override
    void close();
}
