package dev.stowage.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** The weights of several devices, loaded at the same time. */
class DeviceLoadsTest {

    @Test
    void loadsRunAtTheSameTimeAndReportToTheCaller() {
        CountDownLatch both = new CountDownLatch(2);
        Set<Thread> reporters = new HashSet<>();
        AtomicLong arrived = new AtomicLong();
        DeviceLoads loads = new DeviceLoads();
        loads.add(reports -> meet(both, reports, 5));
        loads.add(reports -> meet(both, reports, 7));

        loads.run(bytes -> {
            reporters.add(Thread.currentThread());
            arrived.addAndGet(bytes);
        });

        assertThat(arrived).hasValue(12);
        assertThat(reporters).containsExactly(Thread.currentThread());
    }

    private static void meet(CountDownLatch both, LongConsumer reports, long bytes) {
        both.countDown();
        await(both);
        reports.accept(bytes);
    }

    @Test
    void theFailureOfOneStopsTheOthersAndIsThrown() {
        CountDownLatch failed = new CountDownLatch(1);
        AtomicBoolean stopped = new AtomicBoolean();
        DeviceLoads loads = new DeviceLoads();
        loads.add(reports -> {
            await(failed);
            try {
                while (true) {
                    reports.accept(1);
                }
            } catch (CancellationException e) {
                stopped.set(true);
                throw e;
            }
        });
        loads.add(_ -> {
            failed.countDown();
            throw new IllegalStateException("no memory");
        });

        assertThatThrownBy(() -> loads.run(_ -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no memory");
        assertThat(stopped).isTrue();
    }

    @Test
    void aFailureOfTheListenerStopsAllLoads() {
        DeviceLoads loads = new DeviceLoads();
        for (int i = 0; i < 2; i++) {
            loads.add(reports -> {
                while (true) {
                    reports.accept(1);
                }
            });
        }

        assertThatThrownBy(() -> loads.run(_ -> {
                    throw new IllegalStateException("full");
                }))
                .hasMessage("full");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
