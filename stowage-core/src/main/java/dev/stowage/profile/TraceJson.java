package dev.stowage.profile;

import dev.stowage.internal.json.JsonWriter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Writes spans in the trace event format: times in microseconds since the first span began, to the nanosecond. */
final class TraceJson {

    /** Decimal places of microseconds that show nanoseconds. */
    private static final int NANO_DIGITS = 3;

    private final JsonWriter json;
    private final long origin;

    private TraceJson(JsonWriter json, long origin) {
        this.json = json;
        this.origin = origin;
    }

    static void write(List<TraceSpan> spans, long dropped, Appendable target) {
        JsonWriter json = JsonWriter.compact(target);
        TraceJson trace = new TraceJson(json, origin(spans));
        json.beginObject().name("displayTimeUnit").value("ns");
        json.name("otherData").beginObject();
        json.name("spans").value(spans.size());
        json.name("dropped_spans").value(dropped);
        json.endObject();
        json.name("traceEvents").beginArray();
        trace.nameTracks(spans);
        spans.forEach(trace::write);
        json.endArray().endObject().finish();
    }

    /** A clock of nanoseconds may stand anywhere, even below 0, and pass from the largest number to the smallest. */
    private static long origin(List<TraceSpan> spans) {
        long origin = spans.isEmpty() ? 0 : spans.getFirst().startNanos();
        for (TraceSpan span : spans) {
            origin = span.startNanos() - origin < 0 ? span.startNanos() : origin;
        }
        return origin;
    }

    private void nameTracks(List<TraceSpan> spans) {
        Set<TraceTrack> tracks = new LinkedHashSet<>();
        Set<Integer> processes = new LinkedHashSet<>();
        spans.forEach(span -> tracks.add(span.track()));
        for (TraceTrack track : tracks) {
            if (processes.add(track.process())) {
                name("process_name", track, track.processName());
            }
            name("thread_name", track, track.name());
        }
    }

    private void name(String what, TraceTrack track, String name) {
        begin(what, "M", track);
        json.name("args").beginObject().name("name").value(name).endObject();
        json.endObject();
    }

    private void write(TraceSpan span) {
        begin(span.detail().title(), "X", span.track());
        json.name("cat").value(span.detail().category());
        json.name("ts").decimal(span.startNanos() - origin, NANO_DIGITS);
        json.name("dur").decimal(span.endNanos() - span.startNanos(), NANO_DIGITS);
        json.name("args").beginObject();
        span.detail().write(json);
        json.endObject().endObject();
    }

    private void begin(String name, String phase, TraceTrack track) {
        json.beginObject();
        json.name("name").value(name);
        json.name("ph").value(phase);
        json.name("pid").value(track.process());
        json.name("tid").value(track.thread());
    }
}
