package dev.stowage.cuda.program;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver;

/** Makes graphs that can be launched of what is put into a stream. */
final class GraphCapture {

    private GraphCapture() {}

    /** The work as a graph; the stream does not do it. */
    static Driver.ExecutableGraph of(Driver driver, Driver.Context context, Driver.Stream stream, Runnable work) {
        driver.streamBeginCapture(context, stream);
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            abandon(driver, context, stream, e);
            throw e;
        }
        Driver.CapturedGraph graph = driver.streamEndCapture(context, stream);
        try {
            return driver.graphInstantiate(context, graph);
        } finally {
            discard(driver, context, graph);
        }
    }

    /** A graph that cannot be destroyed is no reason to lose the one that was made of it. */
    private static void discard(Driver driver, Driver.Context context, Driver.CapturedGraph graph) {
        try {
            driver.graphDestroy(context, graph);
        } catch (CudaException ignored) {
            // It goes with the context.
        }
    }

    private static void abandon(Driver driver, Driver.Context context, Driver.Stream stream, Throwable because) {
        try {
            driver.graphDestroy(context, driver.streamEndCapture(context, stream));
        } catch (RuntimeException e) {
            because.addSuppressed(e);
        }
    }
}
