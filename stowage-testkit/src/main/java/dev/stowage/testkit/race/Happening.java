package dev.stowage.testkit.race;

import java.util.List;

/**
 * Something in an {@link AccessLog}. What a stream does is written down when it is handed in, and so never happens before
 * what the host has done until then.
 */
public sealed interface Happening {

    /** Who does it. */
    Actor actor();

    /**
     * Bytes are read and written.
     *
     * @param what the call, for messages
     */
    record Work(Actor actor, String what, List<Touch> touches) implements Happening {

        public Work {
            touches = List.copyOf(touches);
        }

        @Override
        public String toString() {
            return actor + ": " + what + " " + touches;
        }
    }

    /** A mark is put behind all that the actor has been handed so far. */
    record Mark(Actor actor, Object mark) implements Happening {}

    /** What the actor does from now on waits for a mark; one that nobody has put counts as reached. */
    record Await(Actor actor, Object mark) implements Happening {}

    /** The host waits for all that a stream has been handed. */
    record Finish(Actor actor) implements Happening {

        @Override
        public String toString() {
            return "host: waits for " + actor;
        }
    }
}
