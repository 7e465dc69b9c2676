package dev.stowage.testkit.simulated;

import java.util.Locale;

/** The kinds of calls a simulated device takes, as its faults distinguish them. */
public enum CallKind {
    /** Asking for a buffer that is not empty. */
    ALLOCATE,
    /** Writing or filling bytes from the host, at once or in a stream. */
    SET,
    /** Reading bytes to the host, at once or in a stream. */
    GET,
    /** Copying bytes without the host in between, at once or in a stream; a call of the device copied to. */
    COPY,
    /** Computing one node that has something to compute. */
    COMPUTE,
    /** Making an event, recording one, or having a stream wait for one. */
    EVENT;

    /** The name for messages. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
