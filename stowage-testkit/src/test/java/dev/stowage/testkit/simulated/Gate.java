package dev.stowage.testkit.simulated;

import java.util.concurrent.CountDownLatch;

/** Holds a stream before it computes the node of a certain name, until the test lets it through. */
final class Gate implements DelayPolicy {

    private final String node;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);

    Gate(String node) {
        this.node = node;
    }

    @Override
    public void delay(Work work) throws InterruptedException {
        boolean isHeld = work.kind() == CallKind.COMPUTE
                && work.tensor().map(computed -> computed.name().equals(node)).orElse(false);
        if (isHeld) {
            reached.countDown();
            open.await();
        }
    }

    /** Waits until the stream stands at the gate. */
    void awaitReached() throws InterruptedException {
        reached.await();
    }

    void open() {
        open.countDown();
    }
}
