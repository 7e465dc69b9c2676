package dev.stowage.device;

import java.util.OptionalLong;

/**
 * A mark in a backend's stream of work. {@link Backend#record} puts it after everything submitted so far; another
 * backend {@linkplain Backend#await waits} for it without the caller waiting, or the caller {@linkplain #synchronize
 * waits} for it. An event that was never recorded counts as reached. Recording it again moves the mark.
 *
 * <p>May be used from any thread; recording and waiting for the same event from several threads is for the caller to
 * order.
 */
public interface Event extends AutoCloseable {

    /** The device that made this event. */
    Device device();

    /**
     * Waits until the work before the mark is done.
     *
     * @throws dev.stowage.error.DeviceException if that work failed
     */
    void synchronize();

    /** Whether the work before the mark is done, or has failed, without waiting for it. */
    boolean isDone();

    /**
     * The nanoseconds that the device took from another event of its own to this one, by the clock of the device; empty
     * where the device has no such clock, or one of the two was never recorded or is not done.
     */
    default OptionalLong nanosSince(Event start) {
        return OptionalLong.empty();
    }

    /** Releases the event; closing again has no effect. */
    @Override
    void close();
}
