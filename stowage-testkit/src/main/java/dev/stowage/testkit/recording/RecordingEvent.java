package dev.stowage.testkit.recording;

import dev.stowage.device.Event;
import dev.stowage.error.ClosedException;
import dev.stowage.testkit.simulated.Call;

/** An event that is only recorded; it is always done, as no work is ever in flight. */
final class RecordingEvent implements Event {

    private final RecordingDevice device;
    private final String name;
    private volatile boolean closed;

    RecordingEvent(RecordingDevice device, String name) {
        this.device = device;
        this.name = name;
    }

    @Override
    public RecordingDevice device() {
        return device;
    }

    /** The name, if the event is still open. */
    String name() {
        if (closed) {
            throw new ClosedException("the event " + name + " is closed; create another");
        }
        return name;
    }

    @Override
    public void synchronize() {
        device.log().add(new Call.EventSync(name()));
    }

    @Override
    public boolean isDone() {
        return true;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public String toString() {
        return name;
    }
}
