package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.RunException;
import dev.stowage.error.StowageException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a scheduler has under way: which bound schedule has its places in use, in which pipeline slot, and what is waited
 * for before another takes its place. Guarded by its scheduler.
 */
final class Execution implements AutoCloseable {

    private final List<Backend> backends;
    private final DeviceSet devices;
    private final int slots;
    private final Runner runner;

    /** The schedule that ran last, or is about to; what is under way has its places. */
    private @Nullable BoundSchedule active;

    /** By number of the device whether its loss has been reported: after that there is nothing under way on it. */
    private final boolean[] lossReported;

    private int slot;
    private int nextSlot;
    /** Whether a wait has failed, so that work of before may still be under way: a backend may have been used by others. */
    private boolean unfinished;
    /** Whether a run was submitted that nobody has waited for yet. */
    private boolean submitted;

    Execution(List<Backend> backends, DeviceSet devices, ScheduleOptions options) {
        this.backends = backends;
        this.devices = devices;
        this.slots = options.copies();
        this.lossReported = new boolean[backends.size()];
        this.runner = new Runner(backends, options.devicesWithEvents(devices), slots);
    }

    Runner runner() {
        return runner;
    }

    /** The pipeline slot in use. */
    int slot() {
        return slot;
    }

    /** The pipeline slot that is next. */
    int nextSlot() {
        return nextSlot;
    }

    /** Makes a bound schedule the one whose places are used, waiting for what is under way in those of another. */
    void activate(BoundSchedule bound) {
        if (active != bound) {
            if (active == null || !bound.hasPlanOf(active)) {
                waitForAll();
            }
            active = bound;
        }
        if (unfinished) {
            waitForAll();
        }
    }

    /** Has no schedule be the active one; the next begins with the first slot once everything is done. */
    void deactivate() {
        active = null;
    }

    /** Moves on to the next slot, and waits until its inputs can be written: for everything where they have one place. */
    void advance(BoundSchedule bound) {
        activate(bound);
        if (bound.writesInOnePlace()) {
            waitForSubmitted();
        }
        try {
            runner.waitForInputs(bound.inputWaits(), nextSlot);
        } catch (StowageException failure) {
            RunException reported = bound.failed(FailureSite.NO_SPLIT, failure);
            drain(reported);
            throw reported;
        }
        slot = nextSlot;
        nextSlot = (slot + 1) % slots;
    }

    /** Waits for runs that nobody has waited for yet. */
    void waitForSubmitted() {
        if (submitted) {
            waitForAll();
        }
    }

    void runAsync(BoundSchedule bound) {
        activate(bound);
        runner.reportDone();
        submitted = true;
        try {
            runner.run(bound.program(), bound.splits(slot), slot);
        } catch (StowageException failure) {
            RunException reported = bound.failed(runner.current(), failure);
            drain(reported);
            throw reported;
        } catch (RuntimeException | Error failure) {
            drain(failure);
            throw failure;
        }
    }

    /**
     * Waits until everything submitted is done.
     *
     * @throws RunException if something of it failed; the first failure, once. A lost device that nothing was submitted to
     *     is not waited for
     */
    void synchronize() {
        waitForAll();
        if (active == null) {
            nextSlot = 0;
        }
    }

    private void waitForAll() {
        RunException first = null;
        for (int device = 0; device < lossReported.length; device++) {
            StowageException failure = failureOf(device);
            if (first != null && failure != null) {
                first.addSuppressed(failure);
            } else if (failure != null) {
                first = failed(failure);
            }
        }
        unfinished = first != null;
        submitted = unfinished;
        if (first != null) {
            runner.dropTimes();
            throw first;
        }
        runner.reportDone();
    }

    /** Waits for a device, and returns why something of what is under way there failed, if it did. */
    private @Nullable StowageException failureOf(int device) {
        try {
            backends.get(device).synchronize();
            return null;
        } catch (DeviceLostException loss) {
            boolean isNews = !lossReported[device] && active != null && active.uses(device);
            lossReported[device] |= isNews;
            return isNews ? loss : null;
        } catch (StowageException failure) {
            return failure;
        }
    }

    /** Waits for everything after a failure, so that nothing of the failed run touches the next. */
    private void drain(Throwable failure) {
        try {
            waitForAll();
        } catch (RunException also) {
            failure.addSuppressed(also);
        }
    }

    private RunException failed(StowageException failure) {
        BoundSchedule running = active;
        return running == null
                ? RunException.of(FailureSite.NO_SPLIT, 0, devices.toString(), Optional.empty(), failure)
                : running.failed(FailureSite.NO_SPLIT, failure);
    }

    /** Waits for the backends, which stay open; a failure that nobody waited for is of no interest any more. */
    void finish() {
        for (Backend backend : backends) {
            if (!backend.isClosed()) {
                try {
                    backend.synchronize();
                } catch (StowageException ignored) {
                    // The backend is usable again, and what it was to compute is no longer needed.
                }
            }
        }
        active = null;
    }

    /** Gives back the events. */
    @Override
    public void close() {
        runner.close();
    }
}
