package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.DeviceLostException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A device that is lost says so with the cause, whatever it is asked, and lets everything be closed. */
final class LossChecks {

    /** A check with a device of its own, which it may lose. */
    @FunctionalInterface
    private interface Drill {
        void run(CheckFixture fixture, Runnable lose);
    }

    private static final String CAUSE = "the connection is broken";

    private LossChecks() {}

    static List<Check> of(Device device, Device reference) {
        return new CheckGroup("loss", device, reference)
                .add("is known with its cause", fixture -> drill(fixture, LossChecks::known))
                .add("refuses every call of a backend", fixture -> drill(fixture, LossChecks::backends))
                .add(
                        "refuses to read and write buffers, and to give any",
                        fixture -> drill(fixture, LossChecks::buffers))
                .add("refuses to wait for events and to ask for them", fixture -> drill(fixture, LossChecks::events))
                .add("is what waiting for submitted work reports", fixture -> drill(fixture, LossChecks::underWay))
                .add("lets everything be closed", fixture -> drill(fixture, LossChecks::closed))
                .checks();
    }

    private static void drill(CheckFixture fixture, Drill drill) {
        if (!(fixture.device() instanceof LossInjection losable)) {
            throw new CheckSkipped("the device has no way to be lost on purpose");
        }
        LossInjection.Subject subject = losable.another();
        try (CheckFixture own = new CheckFixture(subject.device(), fixture.reference())) {
            drill.run(own, () -> subject.lose().accept(new IllegalStateException(CAUSE)));
        }
    }

    private static void refused(String what, Verify.Call call) {
        DeviceLostException loss = Verify.refused(DeviceLostException.class, what, call);
        Throwable cause = loss.getCause();
        Verify.that(
                cause != null && CAUSE.equals(cause.getMessage()),
                what + " must have the cause of the loss and has " + cause);
    }

    private static void known(CheckFixture fixture, Runnable lose) {
        Verify.that(fixture.device().lossCause().isEmpty(), "a device that is there says that it is lost");
        lose.run();
        Verify.that(
                fixture.device()
                        .lossCause()
                        .filter(cause -> CAUSE.equals(cause.getMessage()))
                        .isPresent(),
                "a lost device says " + fixture.device().lossCause());
        refused("opening a backend", () -> fixture.device().open().close());
    }

    private static void backends(CheckFixture fixture, Runnable lose) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.brief();
        PreparedGraph prepared = backend.prepare(sample.graph());
        MemorySegment bytes = MemorySegment.ofArray(sample.output());
        lose.run();
        refused("set", () -> backend.setAsync(sample.x(), 0, bytes));
        refused("get", () -> backend.getAsync(sample.y(), 0, bytes));
        refused("fill", () -> backend.fillAsync(sample.x(), 0, 4, (byte) 1));
        refused("compute", () -> backend.computeAsync(sample.graph()));
        refused("prepare", () -> backend.prepare(sample.graph()));
        refused("compute of a prepared graph", prepared::computeAsync);
        refused("copy", () -> backend.copyAsync(backend, sample.x(), sample.x()));
        refused("synchronize", backend::synchronize);
    }

    private static void buffers(CheckFixture fixture, Runnable lose) {
        BoundTensor all = fixture.bytes(64);
        MemorySegment bytes = MemorySegment.ofArray(new byte[64]);
        lose.run();
        refused("writing to a buffer", () -> all.set(0, bytes));
        refused("reading from a buffer", () -> all.get(0, bytes));
        refused("clearing a buffer", () -> all.buffer().clear((byte) 0));
        refused("a buffer", () -> fixture.device().bufferType().allocate(64).close());
    }

    private static void events(CheckFixture fixture, Runnable lose) {
        fixture.require(Capability.EVENTS);
        Event event = fixture.event();
        Backend backend = fixture.open();
        backend.record(event);
        backend.synchronize();
        lose.run();
        refused("waiting for an event", event::synchronize);
        refused("asking for an event", event::isDone);
        refused("recording an event", () -> backend.record(event));
        refused("awaiting an event", () -> backend.await(event));
        refused("making an event", () -> fixture.device().createEvent().close());
    }

    private static void underWay(CheckFixture fixture, Runnable lose) {
        Backend backend = fixture.open();
        SampleGraph sample = fixture.lasting();
        float[] input = sample.input(1);
        backend.setAsync(sample.x(), 0, MemorySegment.ofArray(input));
        backend.computeAsync(sample.graph());
        lose.run();
        refused("waiting for what was submitted", backend::synchronize);
    }

    private static void closed(CheckFixture fixture, Runnable lose) {
        Backend backend = fixture.device().open();
        Buffer buffer = fixture.device().bufferType().allocate(64);
        SampleGraph sample = fixture.lasting();
        PreparedGraph prepared = backend.prepare(sample.graph());
        prepared.computeAsync();
        lose.run();
        prepared.close();
        buffer.close();
        backend.close();
        backend.close();
        Verify.that(backend.isClosed() && buffer.isClosed(), "what is closed on a lost device must be closed");
        if (fixture.device().capabilities().contains(Capability.EVENTS)) {
            closedEvents(fixture);
        }
    }

    /** On a second device, as a lost one makes no events. */
    private static void closedEvents(CheckFixture fixture) {
        drill(fixture, (another, loseIt) -> {
            Event event = another.device().createEvent();
            loseIt.run();
            event.close();
            event.close();
        });
    }
}
