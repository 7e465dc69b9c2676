package dev.stowage.device;

/**
 * A mark in a backend's stream of work. {@link Backend#record} puts it behind everything handed in so far; another
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

    /** Gives the event back; closing twice is fine. */
    @Override
    void close();
}
