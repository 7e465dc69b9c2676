package dev.stowage.schedule;

/** Why a tensor is on its device: the rule that assigned it, and the pass of the rule. */
public enum Rule {
    CALLER(Pass.CALLER, "the caller assigned it"),
    STORED_THERE(Pass.SEED, "it is stored in memory of that device"),
    INPUT(Pass.SEED, "inputs are on the last device"),
    WEIGHT_THERE(Pass.SEED, "a weight it reads is there"),
    OFFLOADED(Pass.SEED, "a weight it reads is on the host, and that device offloads such ops"),
    CARRIED_DOWN(Pass.EXPAND, "carried on from an earlier node"),
    CARRIED_UP(Pass.EXPAND, "carried back from a later node"),
    MOST_SOURCES(Pass.RESOLVE, "that device reads the most of its sources"),
    UPGRADED(Pass.RESOLVE, "a device of higher priority works in the same memory"),
    WITH_VIEW_SOURCE(Pass.FILL, "a view is where its source is"),
    WITH_READER(Pass.FILL, "it is where its reader is"),
    FIRST_ABLE(Pass.FILL, "the first device that can compute it"),
    WITH_VIEW(Pass.REPAIR, "it is where a view of it is"),
    REACHES_RESULT(Pass.REPAIR, "the first device that reaches what it writes into"),
    WITH_WRITERS(Pass.REPAIR, "the first device that runs all nodes that write into it"),
    CHEAPEST(Pass.COST, "predicted to take the least time there");

    /** The passes in order; SEED to FILL are passes 1 to 4 of {@code ggml_backend_sched_split_graph}. */
    public enum Pass {
        CALLER,
        SEED,
        EXPAND,
        RESOLVE,
        FILL,
        REPAIR,
        COST
    }

    private final Pass pass;
    private final String text;

    Rule(Pass pass, String text) {
        this.pass = pass;
        this.text = text;
    }

    public Pass pass() {
        return pass;
    }

    public String text() {
        return text;
    }
}
