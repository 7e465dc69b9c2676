package dev.stowage.picture;

import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlannedPlace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Builds the HTML page of a plan in one file: style, script and the data of the plan. The page is made from resource
 * files; this class writes the data, as JSON that names its columns once.
 */
final class PlanPage {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\{(\\w+)}}");
    private static final List<String> SCRIPTS =
            List.of("plan-data.js", "plan-panel.js", "plan-pointer.js", "plan-table.js", "plan-page.js");
    private static final List<String> COLUMNS = List.of(
            "id",
            "name",
            "op",
            "layout",
            "kind",
            "panel",
            "offset",
            "size",
            "from",
            "to",
            "end",
            "inPlaceOf",
            "viewOf");

    private final MemoryPlan plan;
    private final Graph graph;
    private final List<PlanPicturePanel> panels;
    private final PlanPictureTimes times;

    private PlanPage(MemoryPlan plan) {
        this.plan = plan;
        this.graph = plan.graph();
        this.times = new PlanPictureTimes(plan);
        this.panels = PlanPicturePanel.of(plan, times);
    }

    static String of(MemoryPlan plan, String title, List<PageTable> tables) {
        String page = resource("plan-page.html");
        StringBuilder out = new StringBuilder();
        Matcher placeholder = PLACEHOLDER.matcher(page);
        int done = 0;
        // In one pass, so that nothing in the plan is ever taken for a placeholder.
        while (placeholder.find()) {
            out.append(page, done, placeholder.start());
            switch (placeholder.group(1)) {
                case "title" -> out.append(PictureText.escaped(title));
                case "tables" -> tables.forEach(table -> out.append(table.html()));
                case "style" -> out.append(resource("plan-page.css"));
                case "script" -> SCRIPTS.forEach(name -> out.append(resource(name)));
                case "data" -> out.append(data(plan, title));
                default -> out.append(placeholder.group());
            }
            done = placeholder.end();
        }
        return out.append(page, done, page.length()).toString();
    }

    /** The plan as the page wants it, fit to stand in a script element: no character there could end it. */
    static String data(MemoryPlan plan, String title) {
        StringBuilder json = new StringBuilder();
        new PlanPage(plan).write(JsonWriter.compact(json), title);
        return json.toString().replace("<", "\\u003c");
    }

    private static String resource(String name) {
        try (InputStream in = PlanPage.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("it is not there");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new MalformedDataException(
                    "'" + name + "', a part of the page, cannot be read from stowage-core: " + e.getMessage()
                            + "; the jar is not complete",
                    e);
        }
    }

    private void write(JsonWriter json, String title) {
        json.beginObject();
        json.name("title").value(PictureText.wellFormed(title));
        json.name("planner").value(PictureText.wellFormed(plan.planner()));
        json.name("nodes").value(graph.nodeCount());
        json.name("size").value(plan.size());
        json.name("lowerBound").value(plan.analysis().lowerBound());
        json.name("sumOfSizes").value(plan.analysis().sumOfSizes());
        json.name("panels").beginArray();
        panels.forEach(panel -> write(json, panel));
        json.endArray();
        json.name("columns").beginArray();
        COLUMNS.forEach(json::value);
        json.endArray();
        json.name("tensors").beginArray();
        for (int id = 0; id < graph.size(); id++) {
            if (isShown(id)) {
                json.beginArray();
                tensor(json, id);
                json.endArray();
            }
        }
        json.endArray();
        json.endObject().finish();
    }

    private void write(JsonWriter json, PlanPicturePanel panel) {
        json.beginObject();
        String type = plan.request().bufferType(panel.buffer()).name();
        json.name("name").value(PictureText.wellFormed(type));
        json.name("chunk").value(panel.chunk());
        json.name("chunks").value(plan.chunkCount(panel.buffer()));
        json.name("alignment").value(plan.request().bufferType(panel.buffer()).alignment());
        json.name("size").value(panel.size());
        json.name("mostLive").value(panel.mostLive());
        json.name("lowerBound").value(plan.analysis().lowerBound(panel.buffer()));
        json.name("peak").value(panel.peak());
        json.endObject();
    }

    /** All nodes, since they are the time axis, and all other tensors with a place. */
    private boolean isShown(int id) {
        return graph.isNode(id) || plan.placement(id).isPresent();
    }

    /** The values of the columns: places are in the panel's chunk, -1 is "none". */
    private void tensor(JsonWriter json, int id) {
        int owner = graph.viewSource(id) == Graph.NO_ID ? id : graph.viewSource(id);
        json.value(id).value(PictureText.wellFormed(graph.label(id)));
        json.value(graph.isNode(id) ? graph.op(id).name() : "");
        json.value(graph.tensor(id).layout().toString());
        json.value(kind(id));
        json.value(plan.isPlanned(owner) ? panelOf(owner) : -1);
        json.value(plan.placement(id).map(PlannedPlace::offset).orElse(-1L));
        json.value(plan.placement(id)
                .map(PlannedPlace::size)
                .orElse(graph.tensor(id).byteSize()));
        json.value(times.from(id)).value(times.to(id)).value(times.end(id));
        json.value(plan.inPlaceOf(id));
        json.value(graph.viewSource(id));
    }

    private String kind(int id) {
        if (graph.viewSource(id) != Graph.NO_ID) {
            return "view";
        }
        return plan.isPlanned(id) ? PlanPictureText.kind(plan, id) : "fixed";
    }

    private int panelOf(int id) {
        for (int i = 0; i < panels.size(); i++) {
            if (panels.get(i).holds(plan, id)) {
                return i;
            }
        }
        return -1;
    }
}
