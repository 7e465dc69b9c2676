package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Event;
import dev.stowage.device.RunListener;
import dev.stowage.error.DeviceLostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Measures splits by the clocks of asynchronous devices, whose work begins and ends long after the host has submitted it. An
 * event is recorded before and after the nodes of a split; once the second is done, the listener is notified. Device times
 * are related to {@link System#nanoTime()} by an event that the host waits for once, before the first split.
 */
final class DeviceTimes implements AutoCloseable {

    /** A moment known by both clocks. */
    private record Origin(Event event, long hostNanos) {

        /** When an event was reached, or the given time where the device has no clock. */
        long hostTime(Event reached, long otherwise) {
            OptionalLong nanos = reached.nanosSince(event);
            return nanos.isPresent() ? hostNanos + nanos.getAsLong() : otherwise;
        }
    }

    /** The begin of a split: the event, and when the host submitted it. */
    record Begin(Origin origin, Event event, long hostNanos) {}

    /** A split under way, with the time at which the host had submitted it. */
    private record Span(BoundSplit split, Begin begin, Event end, long hostNanos) {

        Backend backend() {
            return split.backend();
        }
    }

    private final Map<Backend, Origin> origins = new HashMap<>();
    private final Map<Backend, List<Event>> free = new HashMap<>();
    private final Deque<Span> underWay = new ArrayDeque<>();

    /** Whether splits of a backend are measured by its device's clock. */
    static boolean measures(Backend backend) {
        Set<Capability> capabilities = backend.device().capabilities();
        return capabilities.contains(Capability.ASYNC) && capabilities.contains(Capability.EVENTS);
    }

    /** Records the begin of a split. */
    Begin begin(Backend backend) {
        Origin origin = origins.computeIfAbsent(backend, this::origin);
        Event start = take(backend);
        long now = System.nanoTime();
        backend.record(start);
        return new Begin(origin, start, now);
    }

    private Origin origin(Backend backend) {
        Event event = take(backend);
        backend.record(event);
        event.synchronize();
        return new Origin(event, System.nanoTime());
    }

    /** Records the end of a split. */
    void end(BoundSplit split, Begin begin) {
        Event end = take(split.backend());
        split.backend().record(end);
        underWay.add(new Span(split, begin, end, System.nanoTime()));
    }

    /** Notifies a listener of every split that is done, in the order they were submitted. */
    void report(RunListener listener) {
        while (!underWay.isEmpty() && isDone(underWay.getFirst().end())) {
            Span span = underWay.removeFirst();
            Begin begin = span.begin();
            long start = begin.origin().hostTime(begin.event(), begin.hostNanos());
            long end = begin.origin().hostTime(span.end(), span.hostNanos());
            giveBack(span);
            BoundSplit split = span.split();
            listener.ranSplit(split.backend(), split.index(), split.graph().graph(), start, end);
        }
    }

    /** The events of a lost device are never done; the loss is reported by what waits for them. */
    private static boolean isDone(Event event) {
        return event.device().lossCause().isEmpty() && event.isDone();
    }

    /** Forgets the splits of a run that failed. */
    void drop() {
        underWay.forEach(this::giveBack);
        underWay.clear();
    }

    private void giveBack(Span span) {
        List<Event> events = free.computeIfAbsent(span.backend(), _ -> new ArrayList<>());
        events.add(span.begin().event());
        events.add(span.end());
    }

    private Event take(Backend backend) {
        List<Event> events = free.get(backend);
        return events == null || events.isEmpty() ? backend.device().createEvent() : events.removeLast();
    }

    @Override
    public void close() {
        drop();
        origins.values().forEach(origin -> close(origin.event()));
        free.values().forEach(events -> events.forEach(DeviceTimes::close));
        origins.clear();
        free.clear();
    }

    private static void close(Event event) {
        try {
            event.close();
        } catch (DeviceLostException ignored) {
            // It is gone with its device.
        }
    }
}
