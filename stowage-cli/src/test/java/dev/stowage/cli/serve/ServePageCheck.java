package dev.stowage.cli.serve;

import dev.stowage.cli.option.EmbeddedModel;
import dev.stowage.cli.plan.Chromium;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.serve.ServeOptions;
import dev.stowage.serve.StowageServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Uses the page of a server as somebody would who talks to a model, in a real browser. Run by {@code .ci/check-page}, since it
 * needs one; the first thing that is wrong ends it.
 *
 * <p>Arguments: the browser, and a folder for screenshots.
 */
final class ServePageCheck {

    private static final String MESSAGES = "document.querySelectorAll('.message').length";
    private static final String LAST = "[...document.querySelectorAll('.message.assistant .body')].at(-1).textContent";
    private static final String RESTS = "document.getElementById('stop').hidden";

    private final Chromium browser;
    private final Path folder;
    private final StowageServer server;

    private ServePageCheck(Chromium browser, Path folder, StowageServer server) {
        this.browser = browser;
        this.folder = folder;
        this.server = server;
    }

    public static void main(String... args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[1])).toAbsolutePath();
        List<DevicePlan> plans = new ArrayList<>();
        LoadListener listener = new LoadListener() {
            @Override
            public void placed(Supplier<DevicePlan> plan) {
                plans.add(plan.get());
            }

            @Override
            public void loaded(long done, long all) {}
        };
        ModelOptions options = ModelOptions.defaults().withSequences(4).withContext(4096);
        try (LanguageModel model = LanguageModel.open(EmbeddedModel.file(), options, listener);
                StowageServer server = StowageServer.start(
                        model,
                        ServeOptions.defaults()
                                .withPort(0)
                                .withKeys(List.of("secret"))
                                .withSampling(SamplingOptions.greedy())
                                .withPlan(plans.getFirst()));
                Chromium browser = Chromium.start(args[0], 1440, 900)) {
            ServePageCheck check = new ServePageCheck(browser, folder, server);
            check.key();
            check.chat();
            check.stop();
            check.conversations();
            check.live();
            check.looks();
            check.quiet();
        }
    }

    private void key() {
        browser.go(server.address() + "/");
        browser.await("document.getElementById('model').textContent.includes('API key')");
        require("without a key the page says that one is missing", true);
        set("key", "secret");
        browser.await("document.getElementById('model').textContent === 'lexicon-5m'");
        browser.await("document.getElementById('empty').textContent.includes('continues what you write')");
        require("with the key it shows the model, and that it was not trained to talk", true);
    }

    /** Changes a setting as a user does. */
    private void set(String name, String value) {
        click("show-settings");
        browser.text("document.getElementById('set-" + name + "').value = '" + value + "'");
        browser.text("document.querySelector('#settings button.main').click()");
        browser.await("settings['" + name + "'] === '" + value + "'");
    }

    private void click(String id) {
        browser.text("document.getElementById('" + id + "').click()");
    }

    private void say(String text) {
        browser.text("document.getElementById('text').focus()");
        browser.type(text);
        browser.key("Enter");
    }

    private void chat() {
        say("harbor, n.");
        browser.await(MESSAGES + " === 2 && " + RESTS);
        String answer = browser.text(LAST);
        require("an answer comes: " + answer, !answer.isBlank());
        require(
                "with its tokens and its speed",
                browser.text("document.querySelector('.facts').textContent").matches(".*\\d+ tokens · .*tokens/s.*"));
        browser.text("[...document.querySelectorAll('.facts button')].at(-1).click()");
        browser.await(MESSAGES + " === 2 && " + RESTS);
        require("regenerated without chance it is the same", browser.text(LAST).equals(answer));
        require(
                "and the prompt was in the cache",
                browser.text("document.querySelector('.facts').textContent").contains("from the cache"));
    }

    private void stop() {
        // Hot enough that the text does not end soon.
        set("temperature", "100");
        set("top_k", "0");
        set("top_p", "1");
        set("min_p", "0");
        say("tensor, n.");
        browser.await("!" + RESTS + " && " + LAST + ".length > 20");
        require(
                "what was said is kept before it is answered",
                browser.text("localStorage.getItem('stowage.talks').includes('tensor, n.')")
                        .equals("true"));
        click("stop");
        browser.await(RESTS);
        require(
                "an answer can be stopped, and stays",
                browser.text("[...document.querySelectorAll('.facts')].at(-1).textContent")
                                .contains("stopped")
                        && !browser.text(LAST).isEmpty());
        set("temperature", "");
        set("top_k", "");
        set("top_p", "");
        set("min_p", "");
        set("key", "wrong");
        say("ship, n.");
        browser.await("document.querySelectorAll('.error').length === 1");
        require(
                "what the server refuses is shown",
                browser.text("document.querySelector('.error').textContent").contains("API key is missing or wrong"));
        set("key", "secret");
        browser.await("document.getElementById('model').textContent === 'lexicon-5m'");
    }

    private void conversations() {
        click("new");
        require("a new conversation is empty", browser.text(MESSAGES).equals("0"));
        say("lantern, n.");
        browser.await(MESSAGES + " === 2 && " + RESTS);
        String titles = "[...document.querySelectorAll('.talk .open')].map(each => each.textContent).join('; ')";
        require("both are listed", browser.text(titles).equals("lantern, n.; harbor, n."));
        browser.go(server.address() + "/");
        browser.await("document.getElementById('model').textContent === 'lexicon-5m'");
        require("the browser has kept them", browser.text(titles).equals("lantern, n.; harbor, n."));
        require("and shows the last", browser.text(MESSAGES).equals("2"));
    }

    private void live() {
        browser.await("document.querySelectorAll('.slot').length === 4");
        browser.await(
                "document.querySelector('#map img')?.complete && document.querySelector('#map img').naturalWidth > 0");
        require(
                "memory is shown as planned",
                browser.text("document.getElementById('memory').textContent").contains("as planned to the byte"));
        browser.await("document.getElementById('rate').textContent !== '–'");
        require(
                "all slots are free",
                browser.text("document.getElementById('busy').textContent").equals("0/4"));
    }

    private void looks() throws IOException {
        for (String scheme : List.of("light", "dark")) {
            browser.prefer(Map.of("prefers-color-scheme", scheme));
            browser.resize(1440, 900);
            picture("serve-" + scheme);
            browser.resize(390, 844);
            require(
                    "nothing sticks out of a phone",
                    browser.text("document.documentElement.scrollWidth <= innerWidth")
                            .equals("true"));
            picture("serve-phone-" + scheme);
        }
        click("show-live");
        picture("serve-phone-live");
        click("show-live");
        click("show-talks");
        picture("serve-phone-talks");
        click("show-talks");
        click("show-settings");
        picture("serve-phone-settings");
        browser.key("Escape");
        browser.resize(900, 700);
        picture("serve-tablet");
        browser.resize(1440, 900);
    }

    private void picture(String name) throws IOException {
        Files.write(folder.resolve(name + ".png"), browser.screenshot());
    }

    private void quiet() {
        String address = server.address().toString();
        List<String> complaints = browser.complaints().stream()
                // The browser reports refusals too, of a key that is missing or wrong.
                .filter(each -> !each.contains("401"))
                .toList();
        require("the page complains about nothing: " + complaints, complaints.isEmpty());
        require(
                "nothing is fetched from elsewhere: " + browser.requests(),
                browser.requests().stream()
                        .allMatch(url -> url.startsWith(address) || url.matches("(blob:|data:|about:).*")));
    }

    private static void require(String what, boolean holds) {
        if (!holds) {
            throw new AssertionError("not so: " + what);
        }
        System.out.println("ok: " + what);
    }
}
