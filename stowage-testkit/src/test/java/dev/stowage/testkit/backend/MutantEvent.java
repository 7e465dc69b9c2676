package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import dev.stowage.device.Event;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A mark in the work of a backend that is done when it is waited for. */
final class MutantEvent implements Event {

    private final MutantDevice device;
    private @Nullable MutantBackend backend;
    private long mark;

    MutantEvent(MutantDevice device) {
        this.device = device;
    }

    void moveTo(MutantBackend newBackend, long newMark) {
        if (backend == null || !device.has(Defect.RECORDING_AGAIN_DOES_NOT_MOVE_THE_MARK)) {
            backend = newBackend;
            mark = newMark;
        }
    }

    /** Has the work before the mark done. */
    void reach() {
        if (backend != null) {
            backend.work(mark);
        }
    }

    /** The mark as it is now, for a later wait. */
    Runnable now() {
        MutantBackend marked = backend;
        long position = mark;
        return () -> {
            if (marked != null) {
                marked.work(position);
            }
        };
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public void synchronize() {
        device.requirePresent();
        if (!device.has(Defect.EVENT_SYNCHRONIZE_DOES_NOT_WAIT)) {
            reach();
        }
    }

    @Override
    public boolean isDone() {
        if (!device.has(Defect.LOST_EVENTS_COUNT_AS_DONE)) {
            device.requirePresent();
        }
        if (backend == null) {
            return !device.has(Defect.UNRECORDED_EVENTS_ARE_NOT_DONE);
        }
        return device.has(Defect.EVENTS_COUNT_AS_DONE_AT_ONCE)
                || (backend.hasDone(mark) && !device.has(Defect.EVENTS_ARE_NEVER_DONE));
    }

    /** A nanosecond for everything that was submitted in between. */
    @Override
    public OptionalLong nanosSince(Event start) {
        MutantEvent other = (MutantEvent) start;
        boolean isDone = backend != null && other.backend != null && isDone() && other.isDone();
        if (!isDone && !device.has(Defect.EVENTS_HAVE_A_TIME_BEFORE_THEY_ARE_DONE)) {
            return OptionalLong.empty();
        }
        long nanos = mark - other.mark;
        return OptionalLong.of(device.has(Defect.TIME_RUNS_BACKWARDS) ? -nanos : nanos);
    }

    @Override
    public void close() {
        if (device.has(Defect.LOST_EVENTS_CANNOT_BE_CLOSED)) {
            device.requirePresent();
        }
    }
}
