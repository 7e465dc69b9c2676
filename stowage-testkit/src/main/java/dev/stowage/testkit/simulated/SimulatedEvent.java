package dev.stowage.testkit.simulated;

import dev.stowage.device.Event;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.testkit.race.LogEntry;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An event of a simulated device: points to the fence it was last recorded as. A fence that was never reached because
 * work before it failed is forgotten once that failure has been reported, so that the event can be waited for again.
 */
final class SimulatedEvent implements Event {

    private final SimulatedDevice device;
    private final String name;
    private final AtomicReference<Fence> fence = new AtomicReference<>(Fence.signaled());
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
    Fence fence() {
        requireUsable();
        return fence.get();
    }

    /** Moves the event to a new fence. */
    Fence moved() {
        requireUsable();
        Fence moved = new Fence();
        fence.set(moved);
        return moved;
    }

    /** Has the event count as never recorded, if it still stands there. */
    void forget(Fence failed) {
        fence.compareAndSet(failed, Fence.signaled());
    }

    @Override
    public void synchronize() {
        Fence here = fence();
        device.logs().add(new Call.EventSync(name));
        device.logs().accesses().ifPresent(listening -> listening.add(new LogEntry.Wait(listening.host(), here)));
        try {
            here.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw device.calls().event().interrupted(e);
        }
        device.streams().require("event");
        here.failure().ifPresent(cause -> {
            throw failed(cause);
        });
        device.clock().reach(here.nanos());
    }

    @Override
    public boolean isDone() {
        return fence().isOver();
    }

    @Override
    public OptionalLong nanosSince(Event start) {
        Fence end = fence();
        if (!(start instanceof SimulatedEvent other) || other.device != device) {
            return OptionalLong.empty();
        }
        Fence begin = other.fence();
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
        device.streams().require("event");
        if (closed.get()) {
            throw new ClosedException("the event " + name + " is closed; create another");
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
