package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Event;
import dev.stowage.device.RunListener;
import dev.stowage.error.DeviceLostException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Measures splits by the clocks of asynchronous devices, whose work begins and ends long after the host has submitted it.
 * An event is recorded before and after the nodes of a split; once the second is done, the listener is notified. Device
 * times are related to {@link System#nanoTime()} by an event that the host waits for once, before the first split. Spans
 * and their events are used again, so that measuring creates no garbage.
 */
final class DeviceTimes implements AutoCloseable {

    /** A split under way: its events, and the times of the host for devices without a clock. */
    static final class Span {

        private final Stream stream;
        private final Event start;
        private final Event end;
        private @Nullable BoundSplit split;
        private long submitted;
        private long returned;

        private Span(Stream stream) {
            this.stream = stream;
            Event first = stream.backend.device().createEvent();
            try {
                this.end = stream.backend.device().createEvent();
            } catch (RuntimeException | Error e) {
                first.close();
                throw e;
            }
            this.start = first;
        }
    }

    /** A backend with a moment known by both clocks, and spans that can be used again. */
    private static final class Stream {

        private final Backend backend;
        private final Event origin;
        private final long originNanos;
        private final Deque<Span> free = new ArrayDeque<>();

        private Stream(Backend backend) {
            this.backend = backend;
            Event event = backend.device().createEvent();
            try {
                backend.record(event);
                event.synchronize();
            } catch (RuntimeException | Error e) {
                event.close();
                throw e;
            }
            this.origin = event;
            this.originNanos = System.nanoTime();
        }

        /** When an event was reached, or the given time where the device has no clock. */
        private long hostTime(Event reached, long otherwise) {
            OptionalLong nanos = reached.nanosSince(origin);
            return nanos.isPresent() ? originNanos + nanos.getAsLong() : otherwise;
        }
    }

    private final Map<Backend, Stream> streams = new HashMap<>();
    private final Deque<Span> underWay = new ArrayDeque<>();

    /** Whether splits of a backend are measured by its device's clock. */
    static boolean measures(Backend backend) {
        Set<Capability> capabilities = backend.device().capabilities();
        return capabilities.contains(Capability.ASYNC) && capabilities.contains(Capability.EVENTS);
    }

    Span begin(BoundSplit split) {
        Backend backend = split.backend();
        Stream stream = streams.get(backend);
        if (stream == null) {
            stream = new Stream(backend);
            streams.put(backend, stream);
        }
        Span span = stream.free.isEmpty() ? new Span(stream) : stream.free.removeLast();
        span.split = split;
        span.submitted = System.nanoTime();
        try {
            backend.record(span.start);
        } catch (RuntimeException | Error e) {
            giveBack(span);
            throw e;
        }
        return span;
    }

    /** Records the end of a split. */
    void end(Span span) {
        span.stream.backend.record(span.end);
        span.returned = System.nanoTime();
        underWay.add(span);
    }

    /** Notifies a listener of every split that is done, in the order they were submitted. */
    void report(RunListener listener) {
        while (!underWay.isEmpty() && isDone(underWay.getFirst().end)) {
            Span span = underWay.removeFirst();
            BoundSplit split = span.split;
            long start = span.stream.hostTime(span.start, span.submitted);
            long end = span.stream.hostTime(span.end, span.returned);
            giveBack(span);
            if (split != null) {
                listener.ranSplit(split.backend(), split.index(), split.graph().graph(), start, end);
            }
        }
    }

    /** The events of a lost device are never done; the loss is reported by what waits for them. */
    private static boolean isDone(Event event) {
        return event.device().lossCause().isEmpty() && event.isDone();
    }

    /** Forgets the splits of a run that failed. */
    void drop() {
        underWay.forEach(DeviceTimes::giveBack);
        underWay.clear();
    }

    /** Forgets a split that was reported, or could not be submitted. */
    static void giveBack(Span span) {
        span.split = null;
        span.stream.free.add(span);
    }

    @Override
    public void close() {
        drop();
        for (Stream stream : streams.values()) {
            close(stream.origin);
            stream.free.forEach(span -> {
                close(span.start);
                close(span.end);
            });
        }
        streams.clear();
    }

    /** Closes an event, unless it is gone with its device. */
    static void close(Event event) {
        try {
            event.close();
        } catch (DeviceLostException ignored) {
            // Nothing is left to be closed.
        }
    }
}
