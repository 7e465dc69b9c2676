package dev.stowage.error;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A scheduled run failed in the middle. Carries which split and, where it is known, which node; the cause is what the
 * device said. Its results are undefined; the scheduler can be used again.
 */
public final class RunException extends StowageException {

    private final int split;
    private final String device;
    private final @Nullable String node;

    private RunException(int split, int splits, String device, @Nullable String node, Throwable cause) {
        super(
                (split < 0 ? "the run failed" : "the run failed in split " + split + " of " + splits) + " on device '"
                        + device + "'" + (node == null ? "" : ", at " + node) + ": " + cause.getMessage(),
                cause);
        this.split = split;
        this.device = device;
        this.node = node;
    }

    /** A failure in a split, numbered from 0 of so many, at a node where that is known. */
    public static RunException of(int split, int splits, String device, Optional<String> node, Throwable cause) {
        return new RunException(split, splits, device, node.orElse(null), cause);
    }

    /** The number of the split, counted from 0, or -1 where it is not known. */
    public int split() {
        return split;
    }

    /** The name of the device the split was on. */
    public String device() {
        return device;
    }

    /** The node, described, where it is known. */
    public Optional<String> node() {
        return Optional.ofNullable(node);
    }
}
