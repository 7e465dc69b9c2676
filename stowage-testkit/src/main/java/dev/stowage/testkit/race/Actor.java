package dev.stowage.testkit.race;

/**
 * A sequence of work in order, as a thread is to a race detector: the host, or a stream of a device.
 *
 * @param number the number in its {@link AccessLog}; the host is 0
 * @param name for messages
 */
public record Actor(int number, String name) {

    boolean isHost() {
        return number == 0;
    }

    @Override
    public String toString() {
        return name;
    }
}
