package dev.stowage.cpu;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The main class of a process that opens backends, prepares a graph on each and closes only the backend. Prints by how
 * much native memory outside the JVM's own has grown; {@link CpuBackendTest} starts it.
 */
final class ScratchProcess {

    /** Before the number of KiB. */
    static final String MARK = "grown by KiB ";

    static final int ROUNDS = 50;

    private static final int SIZE = 512;

    /** What packing the columns takes, at least. */
    static final long KIB_PER_ROUND = SIZE * SIZE * Float.BYTES / 1024;

    private ScratchProcess() {}

    public static void main(String[] args) throws JMException {
        Device device = new CpuProvider().devices().getFirst();
        GraphBuilder b = new GraphBuilder();
        Tensor product =
                b.mulMat(b.tensor(ElementType.F32, SIZE, SIZE), b.scale(b.tensor(ElementType.F32, SIZE, SIZE), 2));
        try (Buffer _ = Allocations.allocateAll(b, device.bufferType())) {
            BoundGraph graph = BoundGraph.of(Graph.of(product));
            openPrepareAndClose(device, graph);
            long before = nativeKiB();
            for (int round = 0; round < ROUNDS; round++) {
                openPrepareAndClose(device, graph);
            }
            System.out.println(MARK + (nativeKiB() - before));
        }
    }

    private static void openPrepareAndClose(Device device, BoundGraph graph) {
        try (Backend backend = device.open()) {
            backend.compute(backend.prepare(graph));
        }
    }

    /** What the JVM counts as "Other", which is where memory of arenas goes. */
    private static long nativeKiB() throws JMException {
        String summary = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "vmNativeMemory",
                        new Object[] {new String[] {"summary", "scale=KB"}},
                        new String[] {String[].class.getName()});
        Matcher other = Pattern.compile("Other \\(reserved=(\\d+)KB").matcher(summary);
        if (!other.find()) {
            throw new AssertionError(summary);
        }
        return Long.parseLong(other.group(1));
    }
}
