package dev.stowage.device;

import dev.stowage.error.DeviceException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Options of a backend. A device without threads, or without support for listeners, ignores them.
 *
 * @param threads how many threads to use, 0 for the device's own choice
 * @param abort called between nodes; once it returns true, the run stops with an exception
 * @param settings further settings by name; each device knows its own, and one that has settings, as {@code cpu} does,
 *     refuses names and values that it does not know when it is opened
 * @param listener notified when each node ran; without one, no time is measured
 * @param scratchLimit called when a graph is prepared: the most bytes of scratch memory it may have. A device that counts
 *     them refuses a graph that needs more before it allocates any
 */
public record BackendOptions(
        int threads,
        BooleanSupplier abort,
        Map<String, String> settings,
        Optional<RunListener> listener,
        LongSupplier scratchLimit) {

    private static final BackendOptions DEFAULTS =
            new BackendOptions(0, () -> false, Map.of(), Optional.empty(), () -> Long.MAX_VALUE);

    public BackendOptions {
        if (threads < 0) {
            throw DeviceException.of("any", "open", "a backend cannot have " + threads + " threads; 0 lets it choose");
        }
        Objects.requireNonNull(abort);
        Objects.requireNonNull(listener);
        Objects.requireNonNull(scratchLimit);
        settings = Map.copyOf(settings);
    }

    /** The device's own choice for every option. */
    public static BackendOptions defaults() {
        return DEFAULTS;
    }

    /** The same with that many threads. */
    public BackendOptions withThreads(int newThreads) {
        return new BackendOptions(newThreads, abort, settings, listener, scratchLimit);
    }

    /** The same with another abort callback. */
    public BackendOptions withAbort(BooleanSupplier newAbort) {
        return new BackendOptions(threads, newAbort, settings, listener, scratchLimit);
    }

    /** The same with other settings. */
    public BackendOptions withSettings(Map<String, String> newSettings) {
        return new BackendOptions(threads, abort, newSettings, listener, scratchLimit);
    }

    /** The same with a listener that is notified when each node ran. */
    public BackendOptions withListener(RunListener newListener) {
        return new BackendOptions(threads, abort, settings, Optional.of(newListener), scratchLimit);
    }

    /** The same with another limit of the scratch memory of a graph. */
    public BackendOptions withScratchLimit(LongSupplier newLimit) {
        return new BackendOptions(threads, abort, settings, listener, newLimit);
    }
}
