package dev.stowage.testkit.race;

/**
 * Somebody who does one thing after the other: the host, or a stream of a device.
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
