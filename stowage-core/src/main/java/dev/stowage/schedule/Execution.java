package dev.stowage.schedule;

import dev.stowage.device.Backend;
import dev.stowage.error.AccessException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.RunException;
import dev.stowage.error.StowageException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a scheduler in flight: the active bound schedule, its pipeline slot, and what to wait for before another
 * becomes active. Guarded by its scheduler.
 */
final class Execution implements AutoCloseable {

    private final List<Backend> backends;
    private final DeviceSet devices;
    private final int slots;
    private final Runner runner;

    /** The schedule that ran last or is about to; runs in flight use its places. */
    private @Nullable BoundSchedule active;

    /** By device, whether its loss has been reported; nothing is in flight on it then. */
    private final boolean[] lossReported;

    private int slot;
    private int nextSlot;
    /** Whether a wait has failed, so that earlier work may still be in flight. */
    private boolean unfinished;
    /** Whether a run was submitted and not waited for yet. */
    private boolean submitted;
    /** Whether a run is being submitted; whoever is called back meanwhile cannot start another. */
    private boolean running;

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

    /** The next pipeline slot. */
    int nextSlot() {
        return nextSlot;
    }

    /** Makes a bound schedule active, waiting for runs of another plan. */
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

    /** Makes no schedule active; the next starts with the first slot once everything is done. */
    void deactivate() {
        active = null;
    }

    /** Moves to the next slot and waits until its inputs can be written. */
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

    /** Waits for runs that were not waited for yet. */
    void waitForSubmitted() {
        if (submitted) {
            waitForAll();
        }
    }

    void runAsync(BoundSchedule bound) {
        if (running) {
            throw new AccessException(
                    "a run of this scheduler is being submitted: an observer, a listener or an op that"
                            + " it calls cannot start another; use a second scheduler");
        }
        activate(bound);
        runner.reportDone();
        submitted = true;
        running = true;
        try {
            runner.run(bound.program(), bound.slot(slot), slot);
        } catch (StowageException failure) {
            RunException reported = bound.failed(runner.current(), failure);
            drain(reported);
            throw reported;
        } catch (RuntimeException | Error failure) {
            drain(failure);
            throw failure;
        } finally {
            running = false;
        }
    }

    /**
     * Waits until everything submitted is done.
     *
     * @throws RunException with the first failure, once; the loss of an unused device is ignored
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

    /** Waits for a device, and returns its failure, if any. */
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

    /** Waits for everything after a failure, so that the failed run does not affect the next. */
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

    /** Waits for the backends, which stay open, and ignores failures. */
    void finish() {
        for (Backend backend : backends) {
            if (!backend.isClosed()) {
                try {
                    backend.synchronize();
                } catch (StowageException ignored) {
                    // The backend is usable again, and the result is no longer needed.
                }
            }
        }
        active = null;
    }

    @Override
    public void close() {
        runner.close();
    }
}
