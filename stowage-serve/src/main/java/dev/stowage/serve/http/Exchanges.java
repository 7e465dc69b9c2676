package dev.stowage.serve.http;

import dev.stowage.serve.wire.ApiError;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Has requests answered, turns what is thrown into errors for clients, and counts what is being answered. */
final class Exchanges extends Handler.Abstract {

    private final Router router;
    private final BodyBudget bodies;
    private final Duration discarding;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int active;
    private boolean refusing;

    Exchanges(Router router, HttpLimits limits) {
        super(InvocationType.BLOCKING);
        this.router = router;
        this.bodies = new BodyBudget(limits);
        this.discarding = limits.idle();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        boolean refused = !enter();
        try (Exchange exchange = new Exchange(request, response, bodies)) {
            if (refused) {
                exchange.withHeader("Connection", "close").fail(ApiError.unavailable("the server is stopping"));
            } else {
                answer(exchange);
            }
            exchange.discardRest(discarding);
            callback.succeeded();
        } catch (IOException | RuntimeException | Error e) {
            // The client is gone, or has been sent something that has no end any more.
            callback.failed(e);
        } finally {
            if (!refused) {
                leave();
            }
        }
        return true;
    }

    private void answer(Exchange exchange) throws IOException {
        ApiError error;
        try {
            router.answer(exchange);
            return;
        } catch (RuntimeException e) {
            error = ApiError.of(e);
        } catch (InterruptedException _) {
            error = ApiError.unavailable("the server is stopping");
        } catch (StackOverflowError | OutOfMemoryError e) {
            error = ApiError.failed("this request is too much for the server: " + e);
        }
        if (!exchange.fail(error)) {
            throw error;
        }
    }

    private boolean enter() {
        lock.lock();
        try {
            if (!refusing) {
                active++;
            }
            return !refusing;
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        lock.lock();
        try {
            active--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    int active() {
        lock.lock();
        try {
            return active;
        } finally {
            lock.unlock();
        }
    }

    void refuse() {
        lock.lock();
        try {
            refusing = true;
        } finally {
            lock.unlock();
        }
    }

    boolean awaitNone(Duration atMost) throws InterruptedException {
        lock.lock();
        try {
            long left = atMost.toNanos();
            while (active > 0 && left > 0) {
                left = changed.awaitNanos(left);
            }
            return active == 0;
        } finally {
            lock.unlock();
        }
    }
}
