package dev.stowage.serve.route;

import dev.stowage.llm.engine.EngineStatus;
import dev.stowage.llm.engine.EngineStatus.Counters;
import dev.stowage.llm.engine.EngineStatus.SlotState;
import dev.stowage.serve.http.Exchange;
import dev.stowage.serve.http.Router;
import java.io.IOException;
import java.util.Locale;

/** {@code /metrics}: counters for Prometheus, with the names of llama-server. */
public final class MetricsRoute implements Router.Route {

    private static final double NANOS_PER_SECOND = 1e9;

    private final Served served;

    public MetricsRoute(Served served) {
        this.served = served;
    }

    @Override
    public void answer(Exchange exchange) throws IOException {
        EngineStatus status = served.engine().status();
        Counters done = status.counters();
        double reading = done.promptNanos() / NANOS_PER_SECOND;
        double writing = done.generationNanos() / NANOS_PER_SECOND;
        long busy = status.slots().stream()
                .filter(slot -> slot.state() != SlotState.IDLE)
                .count();
        long tokens = (long) status.cells() - status.freeCells();
        StringBuilder out = new StringBuilder();
        counter(out, "prompt_tokens_total", "Tokens of prompts that were read.", done.promptTokens());
        counter(out, "prompt_cached_tokens_total", "Tokens of prompts that were in the cache.", done.cachedTokens());
        seconds(out, "prompt_seconds_total", "Time of passes that read prompts.", reading);
        counter(out, "tokens_predicted_total", "Tokens that were generated.", done.generatedTokens());
        seconds(out, "tokens_predicted_seconds_total", "Time of passes that only generated.", writing);
        counter(out, "n_tokens_max", "The most tokens that a slot has had.", done.mostTokens());
        counter(out, "n_decode_total", "Passes through the model.", done.steps());
        counter(out, "requests_total", "Requests that ended.", done.finished());
        counter(out, "requests_failed_total", "Requests that a device or the model failed.", done.failed());
        ratio(out, "n_busy_slots_per_decode", "Slots in a pass, on average.", done.slotSteps(), (double) done.steps());
        ratio(out, "prompt_tokens_seconds", "Tokens of prompts read in a second.", done.promptTokens(), reading);
        ratio(
                out,
                "predicted_tokens_seconds",
                "Tokens generated in a second.",
                done.generatedTokens(),
                reading + writing);
        ratio(out, "kv_cache_usage_ratio", "Share of the cache that holds tokens.", tokens, status.cells());
        add(out, "kv_cache_tokens", "gauge", "Tokens in the cache.", String.valueOf(tokens));
        add(out, "requests_processing", "gauge", "Requests that have a slot.", String.valueOf(busy));
        add(out, "requests_deferred", "gauge", "Requests that wait for a slot.", String.valueOf(status.queued()));
        exchange.respond("text/plain; version=0.0.4; charset=utf-8", out.toString());
    }

    private static void counter(StringBuilder out, String name, String help, long value) {
        add(out, name, "counter", help, String.valueOf(value));
    }

    private static void seconds(StringBuilder out, String name, String help, double value) {
        add(out, name, "counter", help, text(value));
    }

    private static void ratio(StringBuilder out, String name, String help, long part, double whole) {
        add(out, name, "gauge", help, text(whole == 0 ? 0 : (double) part / whole));
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.6f", value);
    }

    private static void add(StringBuilder out, String name, String type, String help, String value) {
        String full = "llamacpp:" + name;
        out.append("# HELP ").append(full).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(full).append(' ').append(type).append('\n');
        out.append(full).append(' ').append(value).append('\n');
    }
}
