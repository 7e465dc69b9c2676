package dev.stowage.rpc.client;

import dev.stowage.rpc.wire.Watch;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes when a test says so. */
final class ManualWatch implements Watch {

    private final AtomicLong now = new AtomicLong();
    private final Set<Look> looks = ConcurrentHashMap.newKeySet();

    /** Something that looks at the time until it is cancelled. */
    private final class Look extends FutureTask<Void> {

        private final Runnable look;

        Look(Runnable look) {
            super(look, null);
            this.look = look;
        }

        @Override
        protected void done() {
            looks.remove(this);
        }
    }

    void pass(Duration time) {
        now.addAndGet(time.toNanos());
        looks.forEach(each -> each.look.run());
    }

    /** How many still look. */
    int looking() {
        return looks.size();
    }

    @Override
    public long nanoTime() {
        return now.get();
    }

    @Override
    public Future<?> look(Runnable look, long pause) {
        Look added = new Look(look);
        looks.add(added);
        return added;
    }
}
