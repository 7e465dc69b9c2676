package dev.stowage.cli.plan;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.internal.json.JsonValue.JsonString;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.models.ModelShapes;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.models.TransformerShape;
import dev.stowage.picture.PlanPicture;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Uses the page of a plan as a reader would, in a real browser: a plan of more than 5,000 tensors, and one whose names
 * mean mischief. Run by {@code .ci/check-page}, since it needs a browser; the first thing that is wrong ends it.
 *
 * <p>Arguments: the browser, and a folder for the pages and their screenshots.
 */
final class PageCheck {

    private static final String ODD_NAME = "</script><script>window.broken = true</script><!-- & \u2028 'x' \"y\"";
    private static final String RANGE = "document.querySelector('.range').textContent";
    private static final String FOUND = "document.getElementById('matches').textContent";
    private static final String FIRST_ROW = "document.querySelector('#rows tr')";

    private final Chromium browser;
    private final Path folder;

    private PageCheck(Chromium browser, Path folder) {
        this.browser = browser;
        this.folder = folder;
    }

    public static void main(String... args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[1])).toAbsolutePath();
        try (Chromium browser = Chromium.start(args[0], 1440, 900)) {
            PageCheck check = new PageCheck(browser, folder);
            check.manyTensors();
            check.oddNamesOnSeveralDevices();
        }
    }

    private void manyTensors() throws IOException {
        MemoryPlan plan = deepModel();
        long planned =
                IntStream.range(0, plan.graph().size()).filter(plan::isPlanned).count();
        require("the plan has 5,000 tensors and more", planned >= 5000);
        open("many", plan, "A deep model");
        require(
                "the page counts them",
                browser.text("document.getElementById('subtitle').textContent")
                        .startsWith(String.format(Locale.ROOT, "%,d tensors", planned)));
        search(planned);
        zoom();
        table();
        pointAt();
        schemes("many");
        quiet();
    }

    /** A transformer so deep that its plan has more tensors than anyone looks at one by one. */
    private static MemoryPlan deepModel() {
        TransformerShape wide = ModelShapes.all().stream()
                .filter(shape -> shape.name().equals("llama-3-8b"))
                .map(TransformerShape.class::cast)
                .findFirst()
                .orElseThrow();
        TransformerShape deep = new TransformerShape(
                "deep",
                "many layers",
                260,
                wide.width(),
                wide.heads(),
                wide.kvHeads(),
                wide.headSize(),
                wide.feedForward(),
                wide.vocabulary(),
                wide.normEpsilon(),
                wide.rope(),
                false,
                false,
                0,
                0);
        Graph graph =
                TransformerGraph.of(deep, TransformerOptions.ofTokens(512)).graph();
        return Planner.ggml().plan(PlanRequest.of(graph, HostBufferType.standard()));
    }

    private void search(long planned) {
        require("nothing is searched for at first", browser.text(FOUND).isEmpty());
        browser.key("/");
        browser.type("ffn_gate-25");
        // Layers 25 and 250 to 259.
        require("a search finds its tensors", browser.text(FOUND).equals("11 tensors found"));
        require(
                "the table lists them",
                browser.text("document.querySelectorAll('#rows tr').length").equals("11"));
        browser.type(" softmax");
        require("every word counts", browser.text(FOUND).equals("0 tensors found"));
        browser.key("Escape");
        require("Escape ends the search", browser.text(FOUND).isEmpty());
        browser.text("document.getElementById('at-peak').click()");
        String atPeak = browser.text(FOUND);
        require("something is live at the peak, not all", !atPeak.startsWith("0 ") && atPeak.length() < 20);
        browser.text("document.getElementById('at-peak').click()");
        require("ops are searched too", count("rope") > 260 && count("rope") < planned);
        browser.key("Enter");
        browser.await(RANGE + ".startsWith('nodes')");
        require(
                "Enter goes to the first found",
                browser.text("document.getElementById('details').textContent").contains("ROPE"));
        browser.key("Escape");
        reset();
    }

    /** How many tensors a search finds. */
    private long count(String words) {
        browser.text("document.getElementById('search').select()");
        browser.type(words);
        return Long.parseLong(browser.text(FOUND).replaceAll("\\D", ""));
    }

    private void zoom() {
        String all = browser.text(RANGE);
        require("at first everything is shown", all.startsWith("all "));
        double x = number("document.querySelector('.plot canvas').getBoundingClientRect().x") + 400;
        double y = number("document.querySelector('.plot canvas').getBoundingClientRect().y") + 200;
        browser.mouse("mouseWheel", x, y, -240);
        browser.await(RANGE + ".startsWith('nodes')");
        String zoomed = browser.text(RANGE);
        browser.drag(x, y, x - 150, y);
        browser.await(RANGE + " !== " + quoted(zoomed));
        String dragged = browser.text(RANGE);
        require("dragging keeps how much is shown", Math.abs(span(zoomed) - span(dragged)) <= 1);
        browser.text("document.querySelector('.plot canvas').focus()");
        browser.key("ArrowLeft");
        browser.await(RANGE + " !== " + quoted(dragged));
        String moved = browser.text(RANGE);
        browser.key("+");
        browser.await(RANGE + " !== " + quoted(moved));
        require("keys zoom too", span(browser.text(RANGE)) < span(dragged));
        String keyed = browser.text(RANGE);
        browser.spread(x, y, 60, 240);
        browser.await(RANGE + " !== " + quoted(keyed));
        require("two fingers zoom too", span(browser.text(RANGE)) < span(keyed));
        reset();
    }

    private void reset() {
        browser.text("document.getElementById('reset').click()");
        browser.await(RANGE + ".startsWith('all ')");
    }

    /** How many nodes a text such as "nodes 1,000 to 1,200, ..." speaks of. */
    private static long span(String range) {
        String[] words = range.split(" ", -1);
        return Long.parseLong(words[3].replace(",", "")) - Long.parseLong(words[1].replace(",", ""));
    }

    private void table() {
        prefer("light");
        require(
                "the largest tensor is first",
                browser.text(FIRST_ROW + ".cells[2].textContent").equals("256.00 MiB"));
        browser.text("document.getElementById('more').click()");
        require(
                "more rows come on request",
                browser.text("document.querySelectorAll('#rows tr').length").equals("200"));
        browser.text("document.querySelector('#columns th:nth-child(2) button').click()");
        require(
                "a click on a heading sorts",
                browser.text("document.querySelector('#columns th:nth-child(2)').getAttribute('aria-sort')")
                        .equals("ascending"));
        require(
                "by op, ADD comes first",
                browser.text(FIRST_ROW + ".cells[1].textContent").equals("ADD"));
        browser.text("document.querySelector('#columns th:nth-child(3) button').click()");
        String row = "document.querySelector('#rows tr:nth-child(51)')";
        String name = browser.text(row + ".cells[0].textContent");
        browser.text(row + ".querySelector('button').click()");
        browser.await(RANGE + ".startsWith('nodes')");
        require(
                "a click on a row chooses its tensor",
                browser.text("document.querySelector('#details h2').textContent")
                        .equals(name));
        require(
                "the row is marked",
                browser.text(row + ".getAttribute('aria-current')").equals("true"));
    }

    private void pointAt() throws IOException {
        String box = "document.querySelector('.plot canvas').getBoundingClientRect()";
        double left = number(box + ".left");
        double width = number(box + ".width");
        double y = number(box + ".top + " + box + ".height / 2");
        // The chosen tensor is in the middle of what is shown.
        browser.mouse("mouseMoved", left + 74 + (width - 88) / 2, y - 12, 0);
        browser.await("!document.getElementById('tip').hidden");
        String tip = browser.text("document.getElementById('tip').textContent");
        for (String fact : List.of("kq-", "MUL_MAT", "f32 [", "256.00 MiB", "bytes", "offset", "from", "until")) {
            require("the tip says " + fact + " (" + tip + ")", tip.contains(fact));
        }
        Files.write(folder.resolve("many-zoomed.png"), browser.screenshot());
        browser.mouse("mouseMoved", 5, 5, 0);
        browser.await("document.getElementById('tip').hidden");
        reset();
    }

    private void schemes(String name) throws IOException {
        prefer("light");
        byte[] light = contrast("light", name);
        prefer("dark");
        byte[] dark = contrast("dark", name);
        require("dark looks different", !Arrays.equals(light, dark));
        prefer("light");
    }

    /** A colour scheme, and no motion, so that what a click leads to is there in the next frame. */
    private void prefer(String scheme) {
        browser.prefer(Map.of("prefers-color-scheme", scheme, "prefers-reduced-motion", "reduce"));
    }

    /** Measures texts and shapes against their background as WCAG does. */
    private byte[] contrast(String scheme, String name) throws IOException {
        for (String text : List.of("ink", "muted", "accent", "plan", "bound", "match")) {
            ratio(scheme, text, "surface", 4.5);
        }
        for (String text : List.of("ink", "muted")) {
            ratio(scheme, text, "page", 4.5);
        }
        for (String kind : List.of("computed", "inPlace", "input", "output")) {
            ratio(scheme, kind, "surface", 3);
            ratio(scheme, "label", kind, 4.5);
        }
        byte[] picture = browser.screenshot();
        Files.write(folder.resolve(name + "-" + scheme + ".png"), picture);
        return picture;
    }

    private void ratio(String scheme, String front, String back, double least) {
        double a = luminance(front);
        double b = luminance(back);
        double ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        require(
                String.format(Locale.ROOT, "%s: %s on %s has %.2f of %.1f : 1", scheme, front, back, ratio, least),
                ratio >= least);
    }

    private double luminance(String variable) {
        String hex = browser.text(
                "getComputedStyle(document.documentElement).getPropertyValue('--" + variable + "').trim()");
        int rgb = Integer.parseInt(hex.substring(1), 16);
        return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb);
    }

    private static double linear(int channel) {
        double c = (channel & 0xFF) / 255.0;
        return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
    }

    private void oddNamesOnSeveralDevices() throws IOException {
        open("devices", severalDevices(), ODD_NAME);
        require(
                "the title is text",
                browser.text("document.querySelector('h1').textContent").equals(ODD_NAME));
        require("a name stays a name", browser.text("window.broken").equals("undefined"));
        require(
                "it is in the table as it is",
                browser.text("[...document.querySelectorAll('#rows .name')].some(row => row.textContent === "
                                + quoted(ODD_NAME) + ")")
                        .equals("true"));
        require(
                "each device and chunk has a panel",
                browser.text("[...document.querySelectorAll('.panel h2')].map(title => title.textContent).join('; ')")
                        .equals("gpu, chunk 0; gpu, chunk 1; host"));
        schemes("devices");
        browser.resize(420, 900);
        require(
                "nothing sticks out of a narrow window",
                browser.text("document.documentElement.scrollWidth <= innerWidth")
                        .equals("true"));
        Files.write(folder.resolve("devices-narrow.png"), browser.screenshot());
        browser.resize(1440, 900);
        quiet();
    }

    /** Two kinds of memory, the first in chunks; chains of results in place, and views. */
    private static MemoryPlan severalDevices() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.input(ODD_NAME, ElementType.F32, 64, 64);
        Tensor y = b.mulMat(x, x).named("square");
        for (int i = 0; i < 6; i++) {
            y = b.add(b.relu(b.mulMat(x, b.transpose(b.cont(y))).named("product " + i)), y)
                    .named("sum " + i);
        }
        Tensor half = b.view2d(y, 64, 32, y.stride(1), 0).named("half");
        Graph graph = b.build(b.sin(b.cont(half)).named("result").asOutput());
        int[] nodes = new int[graph.nodeCount()];
        Arrays.setAll(nodes, node -> node < graph.nodeCount() / 2 ? 0 : 1);
        MeasuringBufferType gpu = MeasuringBufferType.of("gpu", 256).withMaxBufferSize(2 * 64 * 64 * 4);
        MeasuringBufferType host = MeasuringBufferType.of("host", 32);
        return Planner.ggml().plan(PlanRequest.of(graph, List.of(gpu, host), nodes, new int[graph.leafCount()]));
    }

    private void open(String name, MemoryPlan plan, String title) throws IOException {
        Path page = folder.resolve(name + ".html");
        Files.writeString(page, PlanPicture.html(plan, title));
        Files.writeString(folder.resolve(name + ".svg"), PlanPicture.svg(plan));
        browser.go(page.toUri().toString());
        browser.await("document.querySelector('.range').textContent !== ''");
    }

    private void quiet() {
        require(
                "the page complains about nothing: " + browser.complaints(),
                browser.complaints().isEmpty());
        require(
                "nothing is fetched but the page: " + browser.requests(),
                browser.requests().stream().allMatch(url -> url.matches("(file:.*\\.html|data:.*|about:blank)")));
    }

    private double number(String script) {
        return Double.parseDouble(browser.text(script));
    }

    private static String quoted(String text) {
        return JsonWriter.compact(new JsonString(text));
    }

    private static void require(String what, boolean holds) {
        if (!holds) {
            throw new AssertionError("not so: " + what);
        }
        System.out.println("ok: " + what);
    }
}
