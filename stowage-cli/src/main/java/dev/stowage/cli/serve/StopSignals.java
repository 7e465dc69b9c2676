package dev.stowage.cli.serve;

import dev.stowage.cli.text.CtrlC;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Waits for Ctrl-C or SIGTERM, which then do not end the process by themselves; a second one may be for something else. */
final class StopSignals {

    private final CountDownLatch first = new CountDownLatch(1);
    private final AtomicReference<Runnable> next = new AtomicReference<>(() -> {});

    private StopSignals() {}

    static StopSignals install() {
        StopSignals signals = new StopSignals();
        CtrlC.handle(signals::raise);
        CtrlC.handleTermination(signals::raise);
        return signals;
    }

    private void raise() {
        if (first.getCount() > 0) {
            first.countDown();
        } else {
            next.get().run();
        }
    }

    void await() throws InterruptedException {
        first.await();
    }

    /** What later signals do. */
    void then(Runnable action) {
        next.set(action);
    }
}
