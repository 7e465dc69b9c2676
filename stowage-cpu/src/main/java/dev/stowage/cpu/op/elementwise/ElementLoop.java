package dev.stowage.cpu.op.elementwise;

/** Computes a run of a result from runs of its operands; what each thread needs for that is prepared. */
interface ElementLoop {

    /**
     * How many elements to bring into memory of its own at most at a time, such that they stay in the nearest cache.
     */
    int SLICE = 1024;

    /**
     * Computes elements that follow each other at the steps the run was made for.
     *
     * @param to the address of the first one
     * @param a the address of the first one's operand
     * @param b the address of the first one's second operand, if there is one
     */
    void run(long to, long a, long b, long count, int thread);

    /** Roughly what an element costs. */
    double nanosPerElement();
}
