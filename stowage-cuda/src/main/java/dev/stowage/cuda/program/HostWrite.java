package dev.stowage.cuda.program;

import dev.stowage.cuda.driver.Driver;

/**
 * A small transfer from pinned host memory that has been asked for and is not in the stream yet. If a program runs next, it
 * becomes a part of the program's captured graph, so that the run of a token is one call; whatever else comes next puts it
 * into the stream first. Used by one thread at a time.
 */
public final class HostWrite {

    /** More is better left to the copy engine. */
    private static final long MOST_BYTES = 64 << 10;

    private static final long WORD = 4;

    private final Driver driver;
    private final Driver.Context context;
    private final Driver.Stream stream;
    private long target;
    private long source;
    private long bytes;

    /** No transfer into that stream yet. */
    public HostWrite(Driver driver, Driver.Context context, Driver.Stream stream) {
        this.driver = driver;
        this.context = context;
        this.stream = stream;
    }

    /** Whether a transfer can wait here. */
    public static boolean accepts(long target, long source, long bytes) {
        return bytes > 0 && bytes <= MOST_BYTES && (target | source | bytes) % WORD == 0;
    }

    /** Has a transfer wait that is {@linkplain #accepts accepted}; one that waits already goes into the stream. */
    public void defer(long newTarget, long newSource, long newBytes) {
        submit();
        target = newTarget;
        source = newSource;
        bytes = newBytes;
    }

    boolean isEmpty() {
        return bytes == 0;
    }

    /** Puts the transfer that waits into the stream, if there is one. */
    public void submit() {
        if (bytes > 0) {
            long count = bytes;
            bytes = 0;
            driver.memcpyHtoDAsync(context, target, source, count, stream);
        }
    }

    /** Forgets the transfer that waits: a program has it, or the stream has failed. */
    public void drop() {
        bytes = 0;
    }

    /** What waits, as the launch that is captured for it. */
    Captured captured() {
        return new Captured(target, source, bytes);
    }

    /** A transfer that is a part of a captured graph. */
    record Captured(long target, long source, long bytes) {

        private static final int THREADS = 256;
        private static final int BYTES_PER_THREAD = 16;

        boolean isThat(HostWrite write) {
            return target == write.target && source == write.source && bytes == write.bytes;
        }

        Launch launch() {
            return Launch.of("host_write")
                    .grid(Math.ceilDiv(bytes, THREADS * BYTES_PER_THREAD))
                    .block(THREADS)
                    .pointer(source)
                    .pointer(target)
                    .i32(bytes);
        }
    }
}
