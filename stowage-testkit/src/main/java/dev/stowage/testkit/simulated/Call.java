package dev.stowage.testkit.simulated;

import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A call made to a device, as recorded in a {@link CallLog}. The kinds and their names are those of the traces that
 * were recorded with ggml; {@code toString()} gives the form {@code event_wait(GPU0,GPU0#1)}.
 */
public sealed interface Call {

    /** A graph was submitted to be run: all its nodes, in order. */
    record Compute(String device, List<Tensor> nodes) implements Call {

        public Compute {
            nodes = List.copyOf(nodes);
        }

        @Override
        public String toString() {
            return "compute(" + device + "," + nodes.stream().map(Call::name).collect(Collectors.joining(",", "[", "]"))
                    + ")";
        }
    }

    /** A copy from one backend's tensor to another's was submitted. */
    record CopyAsync(Tensor source, Tensor copy) implements Call {
        @Override
        public String toString() {
            return "copy_async(" + name(source) + "," + name(copy) + ")";
        }
    }

    /** A tensor was written from the host. */
    record Set(Tensor tensor) implements Call {
        @Override
        public String toString() {
            return "set(" + name(tensor) + ")";
        }
    }

    /** A tensor was read to the host. */
    record Get(Tensor tensor) implements Call {
        @Override
        public String toString() {
            return "get(" + name(tensor) + ")";
        }
    }

    /** The caller waited for a backend. */
    record Sync(String device) implements Call {
        @Override
        public String toString() {
            return "sync(" + device + ")";
        }
    }

    /** An event was recorded. */
    record EventRecord(String event, String device) implements Call {
        @Override
        public String toString() {
            return "event_record(" + event + "," + device + ")";
        }
    }

    /** A backend was asked to wait for an event. */
    record EventWait(String device, String event) implements Call {
        @Override
        public String toString() {
            return "event_wait(" + device + "," + event + ")";
        }
    }

    /** The caller waited for an event. */
    record EventSync(String event) implements Call {
        @Override
        public String toString() {
            return "event_sync(" + event + ")";
        }
    }

    private static String name(Tensor tensor) {
        return tensor.name().isEmpty() ? tensor.describe() : tensor.name();
    }
}
