package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.OptionalLong;

/** Questions to events: whether they are reached, and how much time is between two of them. */
final class EventQueryChecks {

    private EventQueryChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("event queries", device, reference)
                .add("say that an event that was never recorded is done", EventQueryChecks::unrecorded)
                .add("say that an event is done only when the work before it is", EventQueryChecks::notTooEarly)
                .add("say that an event is done once it was waited for", EventQueryChecks::doneAfterWaiting)
                .add("say that an event is done once the backend was waited for", EventQueryChecks::doneAfterBackend)
                .add("give no time to an event that is not done", EventQueryChecks::noTimeBefore)
                .add("give times that add up", EventQueryChecks::elapsed)
                .checks();
    }

    private static void submit(Backend backend, SampleGraph sample, float[] input) {
        backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        backend.computeAsync(sample.graph());
    }

    private static void unrecorded(CheckFixture fixture) {
        Verify.that(fixture.event().isDone(), "an event that was never recorded must count as done");
    }

    private static void notTooEarly(CheckFixture fixture) {
        Event event = fixture.event();
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        float[] input = sample.input(1);
        submit(backend, sample, input);
        backend.record(event);
        if (event.isDone()) {
            SampleGraph.verify(
                    fixture.expected(sample, input),
                    CheckFixture.read(sample.y()),
                    "read when the event was said to be done");
        }
        backend.synchronize();
    }

    private static void doneAfterWaiting(CheckFixture fixture) {
        Event event = fixture.event();
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        submit(backend, sample, sample.input(2));
        backend.record(event);
        event.synchronize();
        Verify.that(event.isDone(), "an event that was waited for must be done");
        backend.synchronize();
    }

    private static void doneAfterBackend(CheckFixture fixture) {
        Event event = fixture.event();
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        submit(backend, sample, sample.input(3));
        backend.record(event);
        backend.synchronize();
        Verify.that(event.isDone(), "an event must be done when its backend has been waited for");
        submit(backend, sample, sample.input(4));
        backend.record(event);
        backend.synchronize();
        Verify.that(
                event.isDone(), "an event that was recorded again must be done when its backend has been waited for");
    }

    private static void noTimeBefore(CheckFixture fixture) {
        Event start = fixture.event();
        Event end = fixture.event();
        Verify.that(end.nanosSince(start).isEmpty(), "events that were never recorded must have no time between them");
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        backend.record(start);
        submit(backend, sample, sample.input(5));
        backend.record(end);
        OptionalLong nanos = end.nanosSince(start);
        Verify.that(nanos.isEmpty() || end.isDone(), "a time of " + nanos + " is given before the event is done");
        backend.synchronize();
    }

    private static void elapsed(CheckFixture fixture) {
        Event first = fixture.event();
        Event second = fixture.event();
        Event third = fixture.event();
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        backend.record(first);
        submit(backend, sample, sample.input(6));
        backend.record(second);
        submit(backend, sample, sample.input(7));
        backend.record(third);
        backend.synchronize();
        OptionalLong one = second.nanosSince(first);
        OptionalLong other = third.nanosSince(second);
        OptionalLong both = third.nanosSince(first);
        if (one.isEmpty() && other.isEmpty() && both.isEmpty()) {
            throw new CheckSkipped("the device has no clock for events");
        }
        Verify.that(
                one.isPresent() && other.isPresent() && both.isPresent(),
                "some of three events that are done have a time between them and some have not");
        Verify.that(
                one.getAsLong() >= 0 && other.getAsLong() >= 0,
                "the times " + one.getAsLong() + " and " + other.getAsLong() + " must not be negative");
        Verify.that(
                Math.max(one.getAsLong(), other.getAsLong()) <= both.getAsLong(),
                "the time of two runs, " + both.getAsLong() + ", must not be less than that of one of them, "
                        + one.getAsLong() + " or " + other.getAsLong());
    }
}
