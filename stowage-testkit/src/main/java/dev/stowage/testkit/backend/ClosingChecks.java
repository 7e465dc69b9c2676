package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import dev.stowage.error.ClosedException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A backend that was closed has done its work, refuses more, and leaves the memory as it is. */
final class ClosingChecks {

    private ClosingChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("closing", device, reference)
                .add("a backend waits for what was submitted", ClosingChecks::waits)
                .add("a closed backend refuses every call", ClosingChecks::refuses)
                .add("closing a backend twice is fine", ClosingChecks::twice)
                .add("closing one backend leaves the others at work", ClosingChecks::others)
                .add("a device opens backends as often as asked", ClosingChecks::often)
                .checks();
    }

    private static void waits(CheckFixture fixture) {
        SampleGraph sample = fixture.lasting();
        float[] input = sample.input(1);
        try (Backend backend = fixture.device().open()) {
            backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
            backend.computeAsync(sample.graph());
        }
        SampleGraph.verify(fixture.expected(sample, input), CheckFixture.read(sample.y()), "the result after closing");
    }

    private static void refuses(CheckFixture fixture) {
        SampleGraph sample = fixture.brief();
        Backend backend = fixture.open();
        Backend other = fixture.open();
        backend.close();
        Verify.that(backend.isClosed(), "a closed backend says it is open");
        MemorySegment one = MemorySegment.ofArray(new byte[1]);
        Verify.refused(ClosedException.class, "set", () -> backend.setAsync(sample.x(), 0, one));
        Verify.refused(ClosedException.class, "get", () -> backend.getAsync(sample.x(), 0, one));
        Verify.refused(ClosedException.class, "compute", () -> backend.computeAsync(sample.graph()));
        Verify.refused(
                ClosedException.class,
                "prepare",
                () -> backend.prepare(sample.graph()).close());
        Verify.refused(ClosedException.class, "copy", () -> backend.copyAsync(other, sample.x(), sample.y()));
        Verify.refused(ClosedException.class, "synchronize", backend::synchronize);
        if (fixture.device().capabilities().contains(Capability.EVENTS)) {
            Event event = fixture.event();
            Verify.refused(ClosedException.class, "record", () -> backend.record(event));
            Verify.refused(ClosedException.class, "await", () -> backend.await(event));
        }
    }

    private static void twice(CheckFixture fixture) {
        Backend backend = fixture.open();
        backend.close();
        backend.close();
    }

    private static void others(CheckFixture fixture) {
        Backend first = fixture.open();
        Backend second = fixture.open();
        SampleGraph sample = fixture.brief();
        first.close();
        float[] input = sample.input(2);
        SampleGraph.verify(fixture.expected(sample, input), sample.compute(second, input), "the backend that is open");
    }

    private static void often(CheckFixture fixture) {
        SampleGraph sample = fixture.brief();
        float[] input = sample.input(3);
        double[] expected = fixture.expected(sample, input);
        for (int i = 0; i < 20; i++) {
            try (Backend backend = fixture.device().open()) {
                SampleGraph.verify(expected, sample.compute(backend, input), "backend " + i);
            }
        }
    }
}
