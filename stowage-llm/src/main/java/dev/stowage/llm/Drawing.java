package dev.stowage.llm;

import dev.stowage.device.Device;
import dev.stowage.llm.sampling.SamplingOptions;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Whether tokens are drawn by the device that computes the logits. */
final class Drawing {

    private final Device device;
    private final int vocabulary;
    private final int rows;

    /** The options that were asked about last, and the answer. */
    private @Nullable SamplingOptions last;

    private boolean worthwhile;

    Drawing(Device device, int vocabulary, int rows) {
        this.device = device;
        this.vocabulary = vocabulary;
        this.rows = rows;
    }

    /** Whether the device has all ops for it, and logits of its own that the host does not reach. */
    synchronized boolean isWorthwhile(SamplingOptions options) {
        if (!Objects.equals(last, options)) {
            worthwhile = !device.bufferType().isHost()
                    && options.drawn()
                            .filter(drawn -> drawn.runsOn(device, vocabulary, rows))
                            .isPresent();
            last = options;
        }
        return worthwhile;
    }
}
