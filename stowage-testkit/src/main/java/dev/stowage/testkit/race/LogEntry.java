package dev.stowage.testkit.race;

import java.util.List;

/**
 * Something in an {@link AccessLog}. What a stream does is written down when it is handed in, and so never happens before
 * what the host has done until then.
 */
public sealed interface LogEntry {

    /** Who does it. */
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

    /** A mark is put behind all that the actor has been handed so far. */
    record Signal(Actor actor, Object event) implements LogEntry {}

    /** What the actor does from now on waits for a mark; one that nobody has put counts as reached. */
    record Wait(Actor actor, Object event) implements LogEntry {}

    /** The host waits for all that a stream has been handed. */
    record Synchronize(Actor actor) implements LogEntry {

        @Override
        public String toString() {
            return "host: waits for " + actor;
        }
    }
}
