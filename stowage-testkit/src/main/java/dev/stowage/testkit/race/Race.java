package dev.stowage.testkit.race;

/**
 * Two accesses to the same bytes, at least one of which writes, that nothing orders.
 *
 * @param earlier the access that was submitted first
 * @param later the other
 * @param bytes how many bytes both touch
 * @param seen how many pieces of work of the first one's actor the second one's had waited for
 */
public record Race(LoggedAccess earlier, LoggedAccess later, long bytes, int seen) {

    /** Both accesses, and what is missing. */
    public String message() {
        return "nothing orders two accesses to the same " + bytes + " bytes:\n  " + earlier + "\n  " + later
                + "\n  missing: " + missing();
    }

    private String missing() {
        Actor first = earlier.actor();
        Actor second = later.actor();
        String after = " after entry " + earlier.number() + " that ";
        String before = " before entry " + later.number();
        String wait = second.isHost()
                ? "a synchronize of " + first + ", or an event of it" + after + "the host waits for"
                : "an event of " + first + after + second + " awaits";
        return wait + before + "; it had waited for the first " + seen + " of " + earlier.epoch()
                + " pieces of work that " + first + " had by then";
    }

    @Override
    public String toString() {
        return message();
    }
}
