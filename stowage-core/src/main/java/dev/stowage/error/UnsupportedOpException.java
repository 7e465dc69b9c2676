package dev.stowage.error;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * No device can compute a node. Carries what each of them said, so that a caller can see which op, type or shape is
 * missing where.
 */
public final class UnsupportedOpException extends StowageException {

    private final String node;
    private final transient Map<String, String> refusals;

    private UnsupportedOpException(String node, Map<String, String> refusals) {
        super("no device can compute " + node + ": "
                + refusals.entrySet().stream()
                        .map(refusal -> "'" + refusal.getKey() + "': " + refusal.getValue())
                        .collect(Collectors.joining("; "))
                + ". Add a device that can as the last one, such as the processor");
        this.node = node;
        this.refusals = Collections.unmodifiableMap(new LinkedHashMap<>(refusals));
    }

    /** A node, described with what it reads, and for each device by name why it refused. */
    public static UnsupportedOpException of(String node, Map<String, String> refusals) {
        return new UnsupportedOpException(node, refusals);
    }

    /** The node, described with op, type, shape and what it reads. */
    public String node() {
        return node;
    }

    /** Why each device refused, by its name, in order of priority. */
    public Map<String, String> refusals() {
        return refusals;
    }
}
