package dev.stowage.cli.run;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.internal.json.JsonWriter;
import dev.stowage.llm.Generation;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.Session;
import java.io.PrintWriter;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** How a run went: how fast texts were read and written, and what memory was planned and taken for it. */
final class RunReport {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** A text is read at the speed of the model if compilers worked for less than this part of the time. */
    private static final int COMPILED_AT_MOST = 10;

    /** The memory of one device, in bytes. */
    private record Memory(String device, long weights, long cache, long planned, long compute) {

        String text() {
            return "weights " + ByteSize.format(weights) + ", KV cache " + ByteSize.format(cache) + ", compute "
                    + ByteSize.format(compute)
                    + (compute == planned ? " as planned" : ", planned " + ByteSize.format(planned));
        }
    }

    private final LanguageModel model;
    private final Session session;
    private final LoadTime loading;
    private final List<Long> planned = new ArrayList<>();
    private final List<Generation> texts = new ArrayList<>();
    private final List<Generation> warm = new ArrayList<>();
    private final LongSupplier compilerMillis;
    private long compiledBefore;
    private long compiledMillis;

    /** A report of a session that has not run anything, so that all its memory is what was planned. */
    RunReport(LanguageModel model, Session session, LoadTime loading) {
        this(model, session, loading, RunReport::compilerMillis);
    }

    /**
     * @param compilerMillis how long the compilers of the JVM have worked, so that their share is known
     */
    RunReport(LanguageModel model, Session session, LoadTime loading, LongSupplier compilerMillis) {
        this.compilerMillis = compilerMillis;
        this.compiledBefore = compilerMillis.getAsLong();
        this.model = model;
        this.session = session;
        this.loading = loading;
        for (int device = 0; device < model.devices().size(); device++) {
            planned.add(session.computeBytes(device));
        }
    }

    private static long compilerMillis() {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        return compiler == null || !compiler.isCompilationTimeMonitoringSupported()
                ? 0
                : compiler.getTotalCompilationTime();
    }

    /** Adds a text. */
    void add(Generation text) {
        texts.add(text);
        long now = compilerMillis.getAsLong();
        long millis = now - compiledBefore;
        compiledBefore = now;
        compiledMillis += millis;
        if (millis * NANOS_PER_MILLI * COMPILED_AT_MOST <= text.promptNanos()) {
            warm.add(text);
        }
    }

    private List<Memory> memory() {
        List<Memory> memory = new ArrayList<>();
        for (int device = 0; device < planned.size(); device++) {
            memory.add(new Memory(
                    model.devices().get(device).name(),
                    model.weightBytes(device),
                    session.cacheBytes(device),
                    planned.get(device),
                    session.computeBytes(device)));
        }
        return memory;
    }

    /** All in one line. */
    String line() {
        long read = texts.stream().mapToLong(Generation::promptTokens).sum();
        long written = texts.stream().mapToLong(Generation::tokens).sum();
        List<Memory> memory = memory();
        String devices = memory.size() == 1
                ? memory.getFirst().text()
                : memory.stream()
                        .map(each -> each.device() + ": " + each.text())
                        .collect(Collectors.joining("; "));
        return loading.text().map(text -> text + "; ").orElse("") + read + " tokens read" + at(readSpeed())
                + (readSpeed() > 0 && warm.isEmpty() ? " (while still compiling)" : "") + ", "
                + written + " written" + at(writeSpeed()) + "; memory: " + devices;
    }

    private static String at(double speed) {
        return speed == 0 ? "" : String.format(Locale.ROOT, speed < 10 ? " at %.1f t/s" : " at %.0f t/s", speed);
    }

    /** That of texts that were read when all was compiled, if there are any. */
    private double readSpeed() {
        List<Generation> counted = warm.isEmpty() ? texts : warm;
        return speed(
                counted.stream().mapToLong(Generation::promptTokens).sum(),
                counted.stream().mapToLong(Generation::promptNanos).sum());
    }

    /** The first token of a text comes with the prompt. */
    private double writeSpeed() {
        return speed(
                texts.stream().mapToLong(text -> Math.max(0, text.tokens() - 1)).sum(),
                texts.stream().mapToLong(Generation::tokenNanos).sum());
    }

    private static double speed(long count, long nanos) {
        return nanos == 0 ? 0 : count * NANOS_PER_SECOND / nanos;
    }

    /**
     * One JSON object with the text.
     *
     * @param firstNanos how long it took to the first token, loading included
     */
    void printJson(String name, long loadNanos, long firstNanos, PrintWriter out) {
        Generation text = texts.getFirst();
        JsonWriter json = JsonWriter.indented(out).beginObject();
        json.name("model").value(name);
        json.name("text").value(text.text());
        json.name("end").value(text.end().name().toLowerCase(Locale.ROOT));
        json.name("prompt_tokens").value(text.promptTokens());
        json.name("prompt_tokens_per_second").value(text.promptTokensPerSecond());
        json.name("tokens").value(text.tokens());
        json.name("tokens_per_second").value(text.tokensPerSecond());
        json.name("load_seconds").value(loadNanos / NANOS_PER_SECOND);
        json.name("weights_loaded_bytes").value(loading.bytes());
        json.name("weights_load_seconds").value(loading.seconds());
        json.name("compiler_seconds").value(compiledMillis / MILLIS_PER_SECOND);
        json.name("first_token_seconds").value(firstNanos / NANOS_PER_SECOND);
        json.name("context").value(session.context());
        json.name("devices").beginArray();
        for (Memory each : memory()) {
            json.beginObject().name("name").value(each.device());
            json.name("weight_bytes").value(each.weights());
            json.name("cache_bytes").value(each.cache());
            json.name("compute_bytes_planned").value(each.planned());
            json.name("compute_bytes").value(each.compute()).endObject();
        }
        json.endArray().endObject().finish();
        out.println();
        out.flush();
    }
}
