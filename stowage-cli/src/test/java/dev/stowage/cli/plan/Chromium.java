package dev.stowage.cli.plan;

import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.internal.json.JsonValue;
import dev.stowage.internal.json.JsonWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A headless Chromium with one page, driven through its DevTools protocol. The browser reads commands and writes answers
 * as JSON with a zero byte after each, on the pipes {@code --remote-debugging-pipe} names: no port, no library.
 *
 * <p>Whatever the page reports as wrong, or asks the network for, is kept and can be asked for at the end.
 */
public final class Chromium implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final Path profile;
    private final OutputStream commands;
    private final InputStream answers;
    private final List<String> complaints = new ArrayList<>();
    private final List<String> requests = new ArrayList<>();
    private String session = "";
    private long lastId;
    private boolean loaded;

    private Chromium(Process process, Path profile) {
        this.process = process;
        this.profile = profile;
        this.commands = process.getOutputStream();
        this.answers = process.getInputStream();
    }

    /** Starts the browser found under that name or path, with an empty page of so many pixels. */
    public static Chromium start(String program, int width, int height) throws IOException {
        Path profile = Files.createTempDirectory("stowage-page");
        // The shell puts our ends of the pipes where the browser looks for them.
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1",
                        program,
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--hide-scrollbars",
                        "--remote-debugging-pipe",
                        "--user-data-dir=" + profile,
                        "--window-size=" + width + "," + height)
                .start();
        Chromium browser = new Chromium(process, profile);
        try {
            browser.open(width, height);
        } catch (RuntimeException | Error e) {
            browser.close();
            throw e;
        }
        return browser;
    }

    private void open(int width, int height) {
        String target = call("Target.createTarget", json -> json.name("url").value("about:blank"))
                .get("targetId")
                .asString();
        session = call(
                        "Target.attachToTarget",
                        json -> json.name("targetId")
                                .value(target)
                                .name("flatten")
                                .value(true))
                .get("sessionId")
                .asString();
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            call(domain + ".enable", _ -> {});
        }
        resize(width, height);
    }

    public void resize(int width, int height) {
        call(
                "Emulation.setDeviceMetricsOverride",
                json -> json.name("width")
                        .value(width)
                        .name("height")
                        .value(height)
                        .name("deviceScaleFactor")
                        .value(1)
                        .name("mobile")
                        .value(false));
    }

    /** Goes to an address and waits until everything there has been loaded. */
    public void go(String url) {
        loaded = false;
        call("Page.navigate", json -> json.name("url").value(url));
        while (!loaded) {
            next();
        }
    }

    /** Makes the reader one who prefers this, as media features and their values. */
    public void prefer(Map<String, String> features) {
        call("Emulation.setEmulatedMedia", json -> {
            json.name("features").beginArray();
            features.forEach((name, value) -> json.beginObject()
                    .name("name")
                    .value(name)
                    .name("value")
                    .value(value)
                    .endObject());
            json.endArray();
        });
    }

    /** What a piece of script in the page comes to, as text. */
    public String text(String script) {
        JsonCursor answer = call(
                "Runtime.evaluate",
                json -> json.name("expression")
                        .value("Promise.resolve(" + script + ").then(String)")
                        .name("awaitPromise")
                        .value(true));
        Optional<JsonCursor> failure = answer.find("exceptionDetails");
        if (failure.isPresent()) {
            throw new AssertionError(script + " failed: " + failure.get().value());
        }
        return answer.get("result").get("value").asString();
    }

    /** Waits until a piece of script comes to true. */
    public void await(String condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!text(condition).equals("true")) {
            if (System.nanoTime() > end) {
                throw new AssertionError("never became true: " + condition);
            }
            // A frame is drawn between two looks, so that what waits for one gets on.
            text("new Promise(done => requestAnimationFrame(done))");
        }
    }

    public void type(String text) {
        call("Input.insertText", json -> json.name("text").value(text));
    }

    public void key(String key) {
        for (String type : List.of("keyDown", "keyUp")) {
            call(
                    "Input.dispatchKeyEvent",
                    json -> json.name("type")
                            .value(type)
                            .name("key")
                            .value(key)
                            .name("text")
                            .value(key.length() == 1 && type.equals("keyDown") ? key : ""));
        }
    }

    void mouse(String type, double x, double y, double wheel) {
        boolean held = type.equals("mousePressed") || type.equals("mouseReleased");
        call("Input.dispatchMouseEvent", json -> {
            json.name("type").value(type).name("x").value(x).name("y").value(y);
            json.name("button").value(held ? "left" : "none").name("buttons").value(held ? 1 : 0);
            json.name("clickCount").value(held ? 1 : 0);
            json.name("deltaX").value(0).name("deltaY").value(wheel);
        });
    }

    void drag(double fromX, double fromY, double toX, double toY) {
        mouse("mousePressed", fromX, fromY, 0);
        for (double share : List.of(0.3, 0.7, 1.0)) {
            double x = fromX + (toX - fromX) * share;
            double y = fromY + (toY - fromY) * share;
            call(
                    "Input.dispatchMouseEvent",
                    json -> json.name("type")
                            .value("mouseMoved")
                            .name("x")
                            .value(x)
                            .name("y")
                            .value(y)
                            .name("button")
                            .value("left")
                            .name("buttons")
                            .value(1));
        }
        mouse("mouseReleased", toX, toY, 0);
    }

    /** Puts two fingers on the page at the same height, and moves them apart. */
    void spread(double x, double y, double from, double to) {
        fingers("touchStart", x, y, from);
        fingers("touchMove", x, y, (from + to) / 2);
        fingers("touchMove", x, y, to);
        call(
                "Input.dispatchTouchEvent",
                json -> json.name("type")
                        .value("touchEnd")
                        .name("touchPoints")
                        .beginArray()
                        .endArray());
    }

    private void fingers(String type, double x, double y, double apart) {
        call("Input.dispatchTouchEvent", json -> {
            json.name("type").value(type).name("touchPoints").beginArray();
            for (int finger : new int[] {-1, 1}) {
                json.beginObject().name("x").value(x + finger * apart / 2);
                json.name("y").value(y).name("id").value(finger + 1).endObject();
            }
            json.endArray();
        });
    }

    /** The page as a PNG. */
    public byte[] screenshot() {
        text("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        return Base64.getDecoder()
                .decode(call("Page.captureScreenshot", _ -> {}).get("data").asString());
    }

    /** What the page has complained about so far: uncaught exceptions, errors on the console, refused fetches. */
    public List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** The addresses the page has asked for so far, itself included. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    private JsonCursor call(String method, Consumer<JsonWriter> parameters) {
        long id = ++lastId;
        StringBuilder text = new StringBuilder();
        JsonWriter json = JsonWriter.compact(text).beginObject();
        json.name("id").value(id).name("method").value(method);
        if (!session.isEmpty()) {
            json.name("sessionId").value(session);
        }
        json.name("params").beginObject();
        parameters.accept(json);
        json.endObject().endObject().finish();
        try {
            commands.write(text.append('\0').toString().getBytes(StandardCharsets.UTF_8));
            commands.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the browser does not listen", e);
        }
        while (true) {
            JsonCursor message = next();
            if (message.find("id").map(found -> found.asLong() == id).orElse(false)) {
                Optional<JsonCursor> error = message.find("error");
                if (error.isPresent()) {
                    throw new AssertionError(method + " failed: " + error.get().value());
                }
                return message.get("result");
            }
        }
    }

    /** The next message of the browser; events are noted. */
    private JsonCursor next() {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        try {
            for (int b = answers.read(); b != 0; b = answers.read()) {
                if (b < 0) {
                    throw new AssertionError("the browser has ended; does it start from a shell?");
                }
                message.write(b);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the browser does not answer", e);
        }
        JsonCursor json =
                JsonReader.parse(message.toString(StandardCharsets.UTF_8)).cursor();
        json.find("method").ifPresent(method -> note(method.asString(), json.get("params")));
        return json;
    }

    private void note(String event, JsonCursor parameters) {
        JsonValue value = parameters.value();
        switch (event) {
            case "Page.loadEventFired" -> loaded = true;
            case "Runtime.exceptionThrown" -> complaints.add("exception: " + value);
            case "Runtime.consoleAPICalled" -> complaints.add("console: " + value);
            case "Log.entryAdded" -> complaints.add("log: " + value);
            case "Network.requestWillBeSent" ->
                requests.add(parameters.get("request").get("url").asString());
            default -> {}
        }
    }

    @Override
    public void close() throws IOException {
        // Its helpers write to the profile until they end, too.
        List<ProcessHandle> helpers = process.descendants().toList();
        process.destroy();
        helpers.forEach(ProcessHandle::destroy);
        process.onExit().completeOnTimeout(process, 20, TimeUnit.SECONDS).join();
        process.destroyForcibly();
        for (ProcessHandle helper : helpers) {
            helper.onExit().completeOnTimeout(helper, 20, TimeUnit.SECONDS).join();
            helper.destroyForcibly();
        }
        try (Stream<Path> files = Files.walk(profile)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
