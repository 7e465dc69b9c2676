package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import dev.stowage.device.Event;
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

    /** The mark as it is now, for one who waits for it later. */
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
        if (!device.has(Defect.EVENT_SYNCHRONIZE_DOES_NOT_WAIT)) {
            reach();
        }
    }

    @Override
    public boolean isDone() {
        return backend == null || backend.hasDone(mark);
    }

    @Override
    public void close() {}
}
