package dev.stowage.schedule;

/** Why a tensor is on the device it is on: the rule that put it there, and the pass that the rule belongs to. */
public enum Rule {
    CALLER(Pass.CALLER, "the caller assigned it"),
    LIES_THERE(Pass.SEED, "it lies in memory of that device"),
    INPUT(Pass.SEED, "inputs are on the last device"),
    WEIGHT_THERE(Pass.SEED, "a weight it reads is there"),
    OFFLOADED(Pass.SEED, "a weight it reads is on the host, and that device wants such ops"),
    CARRIED_DOWN(Pass.EXPAND, "carried on from an earlier node"),
    CARRIED_UP(Pass.EXPAND, "carried back from a later node"),
    MOST_SOURCES(Pass.SETTLE, "that device reads the most of its sources"),
    UPGRADED(Pass.SETTLE, "a device of higher priority works in the same memory"),
    WITH_VIEW_SOURCE(Pass.FILL, "a view is where its source is"),
    WITH_READER(Pass.FILL, "it is where its reader is"),
    FIRST_ABLE(Pass.FILL, "the first device that can compute it"),
    WITH_VIEW(Pass.MEND, "it is where a view of it is"),
    REACHES_RESULT(Pass.MEND, "the first device that reaches what it writes into"),
    WITH_WRITERS(Pass.MEND, "the first device that runs all who write into it"),
    CHEAPEST(Pass.COST, "predicted to take the least time there");

    /** The passes over the graph, in the order they are made. */
    public enum Pass {
        CALLER,
        SEED,
        EXPAND,
        SETTLE,
        FILL,
        MEND,
        COST
    }

    private static final Rule[] BY_CODE = values();

    private final Pass pass;
    private final String text;

    Rule(Pass pass, String text) {
        this.pass = pass;
        this.text = text;
    }

    /** A number for arrays, which are filled faster with those than with references. */
    @SuppressWarnings("EnumOrdinal") // is kept nowhere but in memory
    public byte code() {
        return (byte) ordinal();
    }

    static Rule of(byte code) {
        return BY_CODE[code];
    }

    /** The pass that decided. */
    public Pass pass() {
        return pass;
    }

    /** The rule in words. */
    public String text() {
        return text;
    }
}
