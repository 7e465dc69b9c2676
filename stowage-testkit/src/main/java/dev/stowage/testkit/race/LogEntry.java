package dev.stowage.testkit.race;

import java.util.List;

/**
 * An entry of an {@link AccessLog}. The work of a stream is recorded when it is submitted, and so never happens before
 * what the host has done until then.
 */
public sealed interface LogEntry {

    /** The host or the stream that does it. */
    Actor actor();

    /**
     * Bytes are read and written.
     *
     * @param what the call, for messages
     */
    record Work(Actor actor, String what, List<MemoryAccess> accesses) implements LogEntry {

        public Work {
            accesses = List.copyOf(accesses);
        }

        @Override
        public String toString() {
            return actor + ": " + what + " " + accesses;
        }
    }

    /** An event is recorded after all that has been submitted to the actor so far. */
    record Signal(Actor actor, Object event) implements LogEntry {}

    /** Later work of the actor waits for an event; one that was never recorded counts as reached. */
    record Wait(Actor actor, Object event) implements LogEntry {}

    /** The host waits for all that has been submitted to a stream. */
    record Synchronize(Actor actor) implements LogEntry {

        @Override
        public String toString() {
            return "host: waits for " + actor;
        }
    }
}
