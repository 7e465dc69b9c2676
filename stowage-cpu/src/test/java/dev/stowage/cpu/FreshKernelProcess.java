package dev.stowage.cpu;

import com.sun.management.ThreadMXBean;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The main class of a process that runs kernels until none of them creates garbage any more, which is how it looks from
 * inside when all of them are compiled well: vectors are objects everywhere but in code of the second compiler that has
 * them in registers. Prints the bytes of garbage per run of every case when that is reached, or when too many rounds are
 * over; {@link FreshProcessesTest} starts it.
 */
final class FreshKernelProcess {

    /** Before each line of the answer. */
    static final String MARK = "garbage ";

    /**
     * What a run may leave. Vectors in the inner loop of a kernel come to hundreds of thousands of bytes a run, and a single
     * one for each call of a decoder to 8192; a few boxes where the product of a group of rows begins or ends, which are
     * seen now and then and come to 3840, are not a slow mode.
     */
    static final long ALLOWED_BYTES = 6144;

    private static final int RUNS_PER_ROUND = 20;
    private static final int MOST_ROUNDS = 1_000;

    /** Rounds in a row in which nothing may change: what is compiled well may still be given up for other reasons. */
    private static final int QUIET_ROUNDS = 5;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final List<KernelCase> cases;
    private final long[] bytes;

    private FreshKernelProcess(List<KernelCase> cases) {
        this.cases = cases;
        this.bytes = new long[cases.size()];
    }

    /** Takes one argument: the seed of the order in which kernels meet the compiler. */
    public static void main(String[] args) throws InterruptedException {
        Device device = new CpuProvider().devices().getFirst();
        try (Backend backend = device.open(BackendOptions.defaults().withThreads(1))) {
            List<KernelCase> cases = new ArrayList<>(KernelCase.all(device, backend));
            Collections.shuffle(cases, new Random(Long.parseLong(args[0])));
            new FreshKernelProcess(cases).run();
            cases.forEach(KernelCase::close);
        }
    }

    private void run() throws InterruptedException {
        int quiet = 0;
        for (int round = 0; round < MOST_ROUNDS && quiet < QUIET_ROUNDS; round++) {
            quiet = runAll() ? quiet + 1 : 0;
            // Compilers are threads too, and there may be fewer cores than threads.
            Thread.sleep(5);
        }
        for (int i = 0; i < bytes.length; i++) {
            System.out.println(MARK + bytes[i] + " " + cases.get(i).name());
        }
    }

    /** Runs every case some times; returns whether that made no garbage. */
    private boolean runAll() {
        boolean clean = true;
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = measure(cases.get(i));
            clean &= bytes[i] <= ALLOWED_BYTES;
        }
        return clean;
    }

    private static long measure(KernelCase kernels) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int run = 0; run < RUNS_PER_ROUND; run++) {
            kernels.run();
        }
        return (THREADS.getCurrentThreadAllocatedBytes() - before) / RUNS_PER_ROUND;
    }
}
