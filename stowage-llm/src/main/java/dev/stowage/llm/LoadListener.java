package dev.stowage.llm;

import dev.stowage.llm.fit.DevicePlan;
import java.util.function.Supplier;

/** Is notified of the progress of loading a model. */
@FunctionalInterface
public interface LoadListener {

    /** Hears nothing. */
    LoadListener NONE = (_, _) -> {};

    /**
     * It is decided which layers go to which device, and nothing has been loaded. What this throws ends the loading, so that a
     * model without room can be refused before memory is taken.
     *
     * @param plan finds out what the model and a session of it take on each device, which is the work of a few thousand ops
     */
    default void placed(Supplier<DevicePlan> plan) {}

    /**
     * So many of the bytes of all weights are loaded; called before memory is taken for them, from time to time, and at the
     * end. Weights that are used in the mapped file are not counted.
     *
     * @param done the bytes so far
     * @param all the bytes in all
     */
    void loaded(long done, long all);
}
