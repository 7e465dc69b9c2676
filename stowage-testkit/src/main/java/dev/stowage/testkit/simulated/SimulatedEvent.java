package dev.stowage.testkit.simulated;

import dev.stowage.device.Event;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.testkit.race.Happening;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An event of a simulated device: points to the mark it was last recorded as. A mark that was never reached because
 * work before it failed is forgotten once that failure has been told, so that the event can be waited for again.
 */
final class SimulatedEvent implements Event {

    private final SimulatedDevice device;
    private final String name;
    private final AtomicReference<Mark> mark = new AtomicReference<>(Mark.reached());
    private final AtomicBoolean closed = new AtomicBoolean();

    SimulatedEvent(SimulatedDevice device, String name) {
        this.device = device;
        this.name = name;
    }

    @Override
    public SimulatedDevice device() {
        return device;
    }

    String name() {
        return name;
    }

    /** Where the event stands now. */
    Mark mark() {
        requireUsable();
        return mark.get();
    }

    /** Moves the event to a new mark. */
    Mark moved() {
        requireUsable();
        Mark moved = new Mark();
        mark.set(moved);
        return moved;
    }

    /** Has the event count as never recorded, if it still stands there. */
    void forget(Mark failed) {
        mark.compareAndSet(failed, Mark.reached());
    }

    @Override
    public void synchronize() {
        Mark here = mark();
        device.logs().add(new Call.EventSync(name));
        device.logs().accesses().ifPresent(listening -> listening.add(new Happening.Await(listening.host(), here)));
        try {
            here.awaitOver();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw device.calls().event().interrupted(e);
        }
        device.presence().require("event");
        here.failure().ifPresent(cause -> {
            throw failed(cause);
        });
        device.clock().reach(here.nanos());
    }

    @Override
    public boolean isDone() {
        return mark().isOver();
    }

    @Override
    public OptionalLong nanosSince(Event start) {
        Mark end = mark();
        if (!(start instanceof SimulatedEvent other) || other.device != device) {
            return OptionalLong.empty();
        }
        Mark begin = other.mark();
        return begin.hasTime() && end.hasTime() ? OptionalLong.of(end.nanos() - begin.nanos()) : OptionalLong.empty();
    }

    private DeviceException failed(StowageException cause) {
        return device.calls()
                .event()
                .failure("the work before event " + name + " failed: " + cause.getMessage())
                .because(cause);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            device.eventClosed();
        }
    }

    private void requireUsable() {
        device.presence().require("event");
        if (closed.get()) {
            throw new ClosedException("the event " + name + " is closed; create another");
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
