package dev.stowage.cli;

import java.util.List;

/** A model and how it is run: everything that its graph depends on. */
sealed interface ModelRun permits DecoderRun, NetworkRun {
    /** What the user calls the model. */
    String name();

    /** What it is, in a few words. */
    String description();

    /** How many numbers it has learnt. */
    long parameters();

    /** How it is run, in a few words. */
    String manner();

    /** What the user should know before believing the numbers; one sentence each. */
    default List<String> remarks() {
        return List.of();
    }

    /**
     * Puts the model together, anew each time: planning it gives its weights other places.
     *
     * @throws dev.stowage.error.StowageException if the model cannot be run this way
     */
    ModelPasses build();
}
