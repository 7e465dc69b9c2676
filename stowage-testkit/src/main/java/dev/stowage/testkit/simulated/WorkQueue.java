package dev.stowage.testkit.simulated;

import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.StowageException;
import dev.stowage.internal.Threads;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a simulated backend: a thread that does one task after the other.
 *
 * <pre>
 *   submit ──► [ task | task | task ] ──► thread      fails: the queue is emptied, and all that comes is dropped,
 *                                                     until finish() has thrown the failure
 * </pre>
 *
 * A caller that is interrupted while it waits has the stream give up what it is at: waiting for an event or hanging
 * ends at once, a kernel is let finish, and the rest is dropped. Tasks may be submitted by several threads.
 */
final class WorkQueue {

    /** A task and the simulated time at which it was submitted. */
    private record Entry(QueuedTask task, long submittedAt) {}

    private final SimulatedDevice device;
    private final Thread worker;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<Entry> queue = new ArrayDeque<>();
    private final List<QueuedTask> dropped = new ArrayList<>();
    private @Nullable StowageException failure;
    private boolean busy;
    private boolean closed;
    private long now;

    WorkQueue(SimulatedDevice device, String threadName) {
        this.device = device;
        this.worker = Thread.ofPlatform().daemon().name(threadName).unstarted(this::work);
        worker.start();
    }

    /** The thread that does the work. */
    Thread worker() {
        return worker;
    }

    /** Submits tasks that follow each other with nothing in between. */
    void submit(List<? extends QueuedTask> tasks) {
        lock.lock();
        try {
            if (closed) {
                throw new ClosedException("the backend of device '" + device.name() + "' is closed; open another");
            }
            for (QueuedTask task : tasks) {
                queue.add(new Entry(task, device.clock().nanos()));
            }
            if (failure != null) {
                dropAll(failure);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all is done, and throws the failure if there was one. */
    void finish() {
        lock.lock();
        try {
            awaitIdle();
            device.clock().reach(now);
            @Nullable StowageException thrown = failure;
            if (thrown != null) {
                failure = null;
                dropped.forEach(QueuedTask::forget);
                dropped.clear();
                throw thrown;
            }
        } finally {
            lock.unlock();
        }
    }

    /** As {@link #finish()}, and ends the thread whatever happens. */
    void close() {
        try {
            finish();
        } finally {
            lock.lock();
            try {
                closed = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            joinWorker();
        }
    }

    /** Drops everything, as the device is lost: what is being done ends as soon as it can. */
    void lose(DeviceLostException loss) {
        lock.lock();
        try {
            failure = loss;
            dropAll(loss);
            if (busy) {
                worker.interrupt();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void awaitIdle() {
        try {
            while (busy || !queue.isEmpty()) {
                changed.await();
            }
        } catch (InterruptedException e) {
            giveUp(DeviceException.of(device.name(), "synchronize", "the caller was interrupted while it waited")
                    .because(e));
            Thread.currentThread().interrupt();
        }
    }

    private void giveUp(StowageException why) {
        failure = why;
        dropAll(why);
        if (busy) {
            worker.interrupt();
        }
        while (busy) {
            changed.awaitUninterruptibly();
        }
    }

    private void joinWorker() {
        Threads.join(worker);
    }

    /** The loop of the worker. */
    private void work() {
        @Nullable Entry entry = next();
        while (entry != null) {
            end(entry, attempt(entry));
            entry = next();
        }
    }

    private @Nullable Entry next() {
        lock.lock();
        try {
            while (queue.isEmpty() && !closed) {
                changed.awaitUninterruptibly();
            }
            @Nullable Entry entry = queue.poll();
            busy = entry != null;
            return entry;
        } finally {
            lock.unlock();
        }
    }

    /** Does a task, and returns why it failed, if it did. */
    private @Nullable StowageException attempt(Entry entry) {
        QueuedTask task = entry.task();
        try {
            reach(entry.submittedAt());
            task.run(this);
            return null;
        } catch (DeviceException | DeviceLostException e) {
            return e;
        } catch (InterruptedException e) {
            return task.work().interrupted(e);
        } catch (RuntimeException | Error e) {
            return task.work().failure(String.valueOf(e.getMessage())).because(e);
        }
    }

    private void end(Entry entry, @Nullable StowageException failed) {
        lock.lock();
        try {
            if (failed != null && !(failure instanceof DeviceLostException)) {
                // What the task says about its end is more than that the caller was interrupted.
                failure = failed;
            }
            if (failed != null && failure != null) {
                drop(entry, failure);
                dropAll(failure);
            }
            // A caller that gives up interrupts only while this is busy, so that none can come for the next task.
            clearInterrupt();
            busy = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("ResultOfMethodCallIgnored")
    private static void clearInterrupt() {
        Thread.interrupted();
    }

    private void dropAll(StowageException why) {
        for (@Nullable Entry entry = queue.poll(); entry != null; entry = queue.poll()) {
            drop(entry, why);
        }
    }

    private void drop(Entry entry, StowageException why) {
        entry.task().drop(why);
        dropped.add(entry.task());
    }

    /** For tasks: begins a call of the device, and adds what it costs. */
    void begin(Work work) throws InterruptedException {
        device.begin(work);
        now += work.nanos();
    }

    /** For tasks: the simulated time this stream has got to. */
    long now() {
        return now;
    }

    /** For tasks: moves this stream on to that time, unless it is past it already. */
    void reach(long nanos) {
        now = Math.max(now, nanos);
    }
}
