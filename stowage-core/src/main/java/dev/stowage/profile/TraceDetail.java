package dev.stowage.profile;

import dev.stowage.graph.Graph;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The content of a span. Holds names and layouts but no tensors, which would keep their memory reachable.
 */
sealed interface TraceDetail {

    /** What is written on the span. */
    String title();

    /** The kind of span, by which viewers filter. */
    String category();

    /** Writes the members of an object that a viewer shows when the span is chosen. */
    void write(JsonWriter json);

    /** A tensor by its name and layout. */
    record Named(String name, Layout layout) {

        static Named of(Tensor tensor) {
            return new Named(tensor.name(), tensor.layout());
        }

        @Override
        public String toString() {
            return name.isEmpty() ? layout.toString() : name + " " + layout;
        }
    }

    /**
     * Nodes that were computed as one.
     *
     * @param results what they are
     * @param operands what they read that none of them computes
     * @param bytes how much the results and operands come to
     */
    record Nodes(String title, List<Named> results, List<Named> operands, long bytes) implements TraceDetail {

        static Nodes of(List<Tensor> nodes) {
            List<Named> operands = new ArrayList<>();
            long bytes = 0;
            for (Tensor node : nodes) {
                bytes += node.byteSize();
                for (int slot = 0; slot < node.sourceCount(); slot++) {
                    if (node.hasSource(slot) && !nodes.contains(node.source(slot))) {
                        operands.add(Named.of(node.source(slot)));
                        bytes += node.source(slot).byteSize();
                    }
                }
            }
            List<Named> results = nodes.stream().map(Named::of).toList();
            return new Nodes(NodeKind.label(nodes), results, List.copyOf(operands), bytes);
        }

        @Override
        public String category() {
            return "node";
        }

        @Override
        public void write(JsonWriter json) {
            list(json.name("results"), results);
            list(json.name("operands"), operands);
            json.name("bytes").value(bytes);
        }

        private static void list(JsonWriter json, List<Named> tensors) {
            json.beginArray();
            tensors.forEach(tensor -> json.value(tensor.toString()));
            json.endArray();
        }
    }

    /**
     * A split.
     *
     * @param first the name of its first node
     * @param last the name of its last node
     */
    record Split(String device, int number, int nodes, String first, String last) implements TraceDetail {

        static Split of(String device, int number, Graph graph) {
            int count = graph.nodeCount();
            return new Split(
                    device,
                    number,
                    count,
                    count == 0 ? "" : graph.node(0).name(),
                    count == 0 ? "" : graph.node(count - 1).name());
        }

        @Override
        public String title() {
            return "split " + number + " on " + device;
        }

        @Override
        public String category() {
            return "split";
        }

        @Override
        public void write(JsonWriter json) {
            json.name("device").value(device);
            json.name("split").value(number);
            json.name("nodes").value(nodes);
            json.name("first").value(first);
            json.name("last").value(last);
        }
    }

    /** A copy from one device to another, for a split. */
    record Copy(String tensor, Layout layout, String from, String to, int split, long bytes) implements TraceDetail {

        @Override
        public String title() {
            return tensor + " from " + from + " to " + to;
        }

        @Override
        public String category() {
            return "copy";
        }

        @Override
        public void write(JsonWriter json) {
            json.name("tensor").value(tensor);
            json.name("layout").value(layout.toString());
            json.name("from").value(from);
            json.name("to").value(to);
            json.name("split").value(split);
            json.name("bytes").value(bytes);
        }
    }
}
