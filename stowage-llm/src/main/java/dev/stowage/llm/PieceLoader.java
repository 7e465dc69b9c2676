package dev.stowage.llm;

/** One thread's part of a load: loads the pieces that it is given, and reports the bytes that have arrived. */
interface PieceLoader<P> extends AutoCloseable {

    /** Begins to load a piece; it may arrive later. */
    void load(P piece);

    /** Waits until everything has arrived. */
    void finish();

    @Override
    void close();
}
