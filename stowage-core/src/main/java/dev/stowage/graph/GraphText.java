package dev.stowage.graph;

import dev.stowage.tensor.Tensor;
import java.util.Locale;

/** Renders a graph as text: a human-readable table, or DOT for Graphviz. */
final class GraphText {

    private GraphText() {}

    static String dump(Graph graph) {
        StringBuilder out = new StringBuilder();
        out.append(graph.nodeCount()).append(" nodes\n");
        for (int id = 0; id < graph.size(); id++) {
            if (id == graph.nodeCount()) {
                out.append(graph.leafCount()).append(" leaves\n");
            }
            if (id == graph.nodeCount() + graph.leafCount()) {
                out.append("externals\n");
            }
            line(out, graph, id);
        }
        return out.toString();
    }

    private static void line(StringBuilder out, Graph graph, int id) {
        Tensor tensor = graph.tensor(id);
        out.append(String.format(
                Locale.ROOT,
                "%7d  %-16s %-28s %s",
                id,
                tensor.op(),
                tensor.layout(),
                oneLine(graph.label(id)) + marks(graph, id)));
        String separator = "  <- ";
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            out.append(separator).append(source == Graph.NO_ID ? "-" : oneLine(graph.label(source)));
            separator = ", ";
        }
        if (graph.viewSource(id) != Graph.NO_ID) {
            out.append("  (view of ").append(oneLine(graph.label(graph.viewSource(id))));
            out.append(" + ").append(tensor.viewOffset()).append(')');
        }
        out.append('\n');
    }

    private static String oneLine(String name) {
        return name.replaceAll("\\R", " ");
    }

    private static String marks(Graph graph, int id) {
        return (graph.isInput(id) ? " [input]" : "")
                + (graph.isOutput(id) ? " [output]" : "")
                + (graph.isWeight(id) ? " [weight]" : "");
    }

    static String dot(Graph graph) {
        StringBuilder out = new StringBuilder("digraph stowage {\n  rankdir=TB;\n  node [shape=box];\n");
        for (int id = 0; id < graph.size(); id++) {
            Tensor tensor = graph.tensor(id);
            String text = graph.label(id) + "\n" + (tensor.isLeaf() ? "" : tensor.op() + " ") + tensor.layout();
            out.append("  t")
                    .append(id)
                    .append(" [label=")
                    .append(quoted(text))
                    .append(style(graph, id))
                    .append("];\n");
            for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
                int source = graph.sourceAt(slot);
                if (source != Graph.NO_ID) {
                    out.append("  t").append(source).append(" -> t").append(id).append(";\n");
                }
            }
            if (graph.viewSource(id) != Graph.NO_ID) {
                out.append("  t").append(graph.viewSource(id)).append(" -> t").append(id);
                out.append(" [style=dotted, arrowhead=none];\n");
            }
        }
        return out.append("}\n").toString();
    }

    private static String style(Graph graph, int id) {
        if (graph.isWeight(id)) {
            return ", style=filled, fillcolor=lightgrey";
        }
        if (graph.isOutput(id)) {
            return ", style=filled, fillcolor=lightgreen";
        }
        return graph.isNode(id) ? "" : ", style=filled, fillcolor=lightblue";
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }
}
