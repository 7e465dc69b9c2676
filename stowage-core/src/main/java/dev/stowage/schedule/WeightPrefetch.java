package dev.stowage.schedule;

import dev.stowage.device.Backend;
import org.jspecify.annotations.Nullable;

/**
 * Announces the weights that later splits copy, as far ahead as their device has room, so that they are fetched while the
 * host waits for earlier splits or computes them.
 */
final class WeightPrefetch {

    /** The first input that was not announced: its split, and its number there. */
    private int split;

    private int input;

    /** A device with announcements, whose copies have not all been submitted. */
    private @Nullable Backend announced;

    /** Begins a run; what an earlier one has announced and not copied, as it failed, is withdrawn. */
    void startRun() {
        Backend left = announced;
        announced = null;
        split = 0;
        input = 0;
        if (left != null && !left.isClosed()) {
            left.cancelPrefetch();
        }
    }

    /** Announces what comes next; called before a split is run. */
    void advance(BoundSplit[] splits, int current) {
        if (split < current) {
            // The device had no room, and copies these without having been asked before.
            split = current;
            input = 0;
        }
        for (; split < splits.length; split++, input = 0) {
            BoundSplit next = splits[split];
            for (; input < next.inputCount(); input++) {
                if (next.input(input).mayBePrefetched()) {
                    if (!next.backend().prefetch(next.input(input).source())) {
                        return;
                    }
                    announced = next.backend();
                }
            }
        }
    }

    /** Ends a run: everything that was announced was copied. */
    void endRun() {
        announced = null;
    }
}
