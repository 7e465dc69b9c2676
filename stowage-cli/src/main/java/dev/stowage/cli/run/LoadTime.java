package dev.stowage.cli.run;

import dev.stowage.llm.LoadListener;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/** How long the weights of a model took to load: from when memory is taken for them until the last byte is in it. */
final class LoadTime implements LoadListener {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MEGABYTE = 1e6;
    private static final double GIGABYTE = 1e9;

    private final LongSupplier clock;
    private long start;
    private long bytes;
    private long nanos;

    /**
     * @param clock the time in nanoseconds
     */
    LoadTime(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public void loaded(long done, long all) {
        if (done == 0) {
            start = clock.getAsLong();
        }
        if (done == all) {
            bytes = all;
            nanos = clock.getAsLong() - start;
        }
    }

    /** The bytes that were loaded, without those that are used in the mapped file. */
    long bytes() {
        return bytes;
    }

    double seconds() {
        return nanos / NANOS_PER_SECOND;
    }

    /** All of it, such as {@code loaded 4.65 GB in 0.31 s (15.0 GB/s)}; empty where nothing had to be loaded. */
    Optional<String> text() {
        if (bytes == 0) {
            return Optional.empty();
        }
        String size = bytes < GIGABYTE
                ? String.format(Locale.ROOT, "%.1f MB", bytes / MEGABYTE)
                : String.format(Locale.ROOT, "%.2f GB", bytes / GIGABYTE);
        return Optional.of(String.format(Locale.ROOT, "loaded %s in %.2f s (%s)", size, seconds(), rate()));
    }

    private String rate() {
        double perSecond = nanos == 0 ? 0 : bytes / seconds();
        return perSecond < GIGABYTE
                ? String.format(Locale.ROOT, "%.0f MB/s", perSecond / MEGABYTE)
                : String.format(Locale.ROOT, "%.1f GB/s", perSecond / GIGABYTE);
    }
}
