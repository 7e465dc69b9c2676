package dev.stowage.llm.engine;

import dev.stowage.error.BusyException;
import dev.stowage.error.ClosedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * The thread of an engine, and what others share with it: the requests that wait, the status as of the last step, and whether
 * it is to end. Only this thread uses the {@link EngineLoop}, and only under the lock where others could see what it does.
 */
final class EngineThread {

    private final EngineLoop loop;
    private final int slots;
    private final LongSupplier clock;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final RequestQueue queue = new RequestQueue();
    private long submitted;
    private boolean refusing;
    private boolean cancelling;
    private boolean ended;
    /** The parts that only this thread knows, as of the last step. */
    private volatile EngineStatus status;

    /** A thread that begins with {@link #start()}, and closes the loop when it ends. */
    EngineThread(EngineLoop loop, LongSupplier clock) {
        this.loop = loop;
        this.clock = clock;
        this.status = loop.status(0);
        this.slots = status.slots().size();
        this.thread = Thread.ofPlatform().name("stowage-engine").daemon().unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** What the engine does now, and has done so far. */
    EngineStatus status() {
        return status;
    }

    /**
     * Adds a request to the queue.
     *
     * @param queueLimit how many may wait
     * @param job makes what the thread keeps of it, by its number
     */
    Completion submit(int queueLimit, LongFunction<Job> job) {
        lock.lock();
        try {
            if (refusing) {
                throw closed();
            }
            status.loss().ifPresent(loss -> {
                throw loss;
            });
            if (queue.size() >= queueLimit && !canBeginSoon()) {
                throw new BusyException("all " + slots + " slots are busy, and " + queue.size()
                        + " requests are waiting, which is the limit: try again later");
            }
            Job added = job.apply(++submitted);
            queue.add(added);
            changed.signalAll();
            return added.completion();
        } finally {
            lock.unlock();
        }
    }

    /** With a queue of no requests, one can still begin where a slot is free. */
    private boolean canBeginSoon() {
        long idle = status.slots().stream()
                .filter(slot -> slot.state() == EngineStatus.SlotState.IDLE)
                .count();
        return queue.size() < idle;
    }

    /** Has the thread look again at what is to be done, as a request was cancelled. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try (loop) {
            boolean goesOn = true;
            while (goesOn) {
                goesOn = round();
            }
        } finally {
            end();
        }
    }

    /** One step, when there is something to do; says whether there may be more. */
    private boolean round() {
        try {
            if (!awaitWork()) {
                return false;
            }
            step();
            publish();
        } catch (RuntimeException | Error e) {
            // Such as too little heap for a moment: it ends the requests there are, and those to come find the engine.
            failEverything(unforeseen(e));
        }
        return true;
    }

    private void step() {
        try {
            if (loop.isBusy()) {
                loop.step();
            }
        } catch (RuntimeException | Error e) {
            // Nobody else would hear of it, and those who wait must not wait for ever.
            loop.startAgain(unforeseen(e));
        }
    }

    private static RuntimeException unforeseen(Throwable failure) {
        return failure instanceof RuntimeException exception ? exception : new IllegalStateException(failure);
    }

    private void failEverything(RuntimeException cause) {
        lock.lock();
        try {
            loop.startAgain(cause);
            failQueued(cause);
            publish();
        } finally {
            lock.unlock();
        }
    }

    private void failQueued(RuntimeException cause) {
        for (Job job : queue.removeIf(_ -> true)) {
            loop.fail(job, cause);
        }
    }

    /** Waits until there is something to do, and begins what can begin; says whether to go on. */
    private boolean awaitWork() {
        lock.lock();
        try {
            loop.endSome(cancelling);
            endQueued();
            beginQueued();
            publish();
            while (!loop.isBusy()) {
                if (refusing && queue.size() == 0) {
                    return false;
                }
                changed.awaitUninterruptibly();
                endQueued();
                beginQueued();
                publish();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void endQueued() {
        long now = clock.getAsLong();
        for (Job job :
                queue.removeIf(each -> cancelling || each.endedFromOutside(now).isPresent())) {
            loop.end(job, job.endedFromOutside(now).orElse(FinishReason.CANCELLED));
        }
    }

    private void beginQueued() {
        for (Job job = queue.first(); job != null && loop.begin(job); job = queue.first()) {
            queue.removeFirst();
        }
    }

    /** The status first: who hears of the end of a request finds its slot free. */
    private void publish() {
        lock.lock();
        try {
            status = loop.status(queue.size());
            loop.tellEnds();
        } finally {
            lock.unlock();
        }
    }

    /** Ends whatever is left, as the thread ends. */
    private void end() {
        lock.lock();
        try {
            refusing = true;
            loop.failAll(closed());
            failQueued(closed());
            publish();
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    static ClosedException closed() {
        return new ClosedException("this engine is closed; open another one of the model");
    }

    /**
     * Refuses further requests, waits for those there are, and cancels what is left after a time; the thread has ended when
     * this returns, unless it is the one that calls.
     *
     * @return whether nothing had to be cancelled
     */
    boolean close(Duration atMost) {
        lock.lock();
        try {
            refusing = true;
            changed.signalAll();
            boolean inTime = awaitEnd(TimeUnit.NANOSECONDS.convert(atMost));
            if (!inTime) {
                cancelling = true;
                changed.signalAll();
            }
            while (!ended && !Thread.currentThread().equals(thread)) {
                changed.awaitUninterruptibly();
            }
            return inTime;
        } finally {
            lock.unlock();
        }
    }

    /** Says whether it ended in time. */
    private boolean awaitEnd(long nanos) {
        long left = nanos;
        try {
            while (!ended && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return ended;
    }
}
