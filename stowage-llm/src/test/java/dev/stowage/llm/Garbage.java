package dev.stowage.llm;

/** What this thread has allocated. */
public final class Garbage {

    private Garbage() {}

    /**
     * The bytes so far. Found by name, because the module under test does not read the management modules of the JDK and
     * should not for the sake of a test.
     */
    public static long allocatedBytes() {
        try {
            Object threads = Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null);
            return (long) Class.forName("com.sun.management.ThreadMXBean")
                    .getMethod("getCurrentThreadAllocatedBytes")
                    .invoke(threads);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this Java does not count what a thread allocates", e);
        }
    }
}
