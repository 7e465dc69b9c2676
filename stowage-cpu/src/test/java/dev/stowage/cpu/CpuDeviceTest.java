package dev.stowage.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cpu.machine.tile.TileSupport;
import dev.stowage.cpu.machine.tile.TileType;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBuffer;
import dev.stowage.memory.MappedBuffer;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import jdk.incubator.vector.FloatVector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuDeviceTest {

    private static final Device CPU = new CpuProvider().devices().getFirst();

    private static final int WIDTH = 64;

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    @Test
    void theDescriptionTellsCoresAndVectors() {
        int cores = Processor.physicalCores();
        assertThat(CPU.description())
                .endsWith(", " + cores + (cores == 1 ? " core, " : " cores, ")
                        + FloatVector.SPECIES_PREFERRED.vectorBitSize() + "-bit vectors");
    }

    @Test
    void theDescriptionBeginsWithTheModel() throws IOException {
        Path info = Path.of("/proc/cpuinfo");
        String model = (Files.exists(info) ? Files.readAllLines(info) : List.<String>of())
                .stream()
                        .filter(line -> line.startsWith("model name"))
                        .map(line -> line.replaceFirst("^[^:]*:\\s*", "").strip())
                        .findFirst()
                        .orElse(System.getProperty("os.arch") + " processor");
        assertThat(CPU.description()).startsWith(model + ", ");
    }

    @Test
    void hasNoMoreCoresThanTheProcessMayUse() {
        assertThat(Processor.physicalCores()).isBetween(1, Runtime.getRuntime().availableProcessors());
    }

    @Test
    void tellsTheMemoryOfTheMachine() {
        DeviceMemory memory = CPU.memory();
        assertThat(memory.total()).isPositive();
        assertThat(memory.free()).isBetween(1L, memory.total());
    }

    @Test
    void isAProcessorThatUsesHostMemoryInPlace() {
        assertThat(CPU.type()).isEqualTo(DeviceType.CPU);
        assertThat(CPU.capabilities()).contains(Capability.BUFFER_FROM_HOST);
    }

    @ParameterizedTest
    @EnumSource(names = {"Q4_0", "Q8_0", "Q4_K", "Q6_K"})
    void keepsQuantisedMatricesInterleavedWhereThereAreKernelsForThat(ElementType type) {
        boolean wide = FloatVector.SPECIES_PREFERRED.vectorBitSize() == 512;
        String withoutCode = wide ? "cpu interleaved" : CPU.bufferType().name();
        assertThat(CPU.weightsType(Layout.contiguous(type, 256, 64)).name())
                .isEqualTo(TileSupport.has(TileType.valueOf(type.name())) ? "cpu tiles" : withoutCode);
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F16", "BF16"})
    void keepsOtherWeightsAsTheyAre(ElementType type) {
        assertThat(CPU.weightsType(Layout.contiguous(type, 256, 64))).isSameAs(CPU.bufferType());
    }

    @Test
    void keepsMatricesOfOddHeightAsTheyAre() {
        assertThat(CPU.weightsType(Layout.contiguous(ElementType.Q8_0, 256, 33)))
                .isSameAs(CPU.bufferType());
    }

    @Test
    void takesItsWeightsAndWhatTheHostReaches() {
        assertThat(CPU.supportsBufferType(CPU.bufferType())).isTrue();
        assertThat(CPU.supportsBufferType(CPU.weightsType(Layout.contiguous(ElementType.Q8_0, 256, 64))))
                .isTrue();
    }

    @Test
    void multipliesWeightsOfAMappedFile(@TempDir Path folder) throws IOException {
        GraphBuilder b = new GraphBuilder();
        Tensor weights = b.tensor(ElementType.F32, WIDTH, 3);
        Tensor x = b.tensor(ElementType.F32, WIDTH, 1);
        Tensor y = b.mulMat(weights, x);
        ByteBuffer bytes = ByteBuffer.allocate((int) weights.byteSize()).order(ByteOrder.LITTLE_ENDIAN);
        IntStream.range(0, 3 * WIDTH).forEach(i -> bytes.putFloat(i / WIDTH + 1));
        Path file = Files.write(folder.resolve("weights"), bytes.array());
        try (Buffer mapped = MappedBuffer.map(file, 0, weights.byteSize());
                Backend backend = CPU.open()) {
            mapped.place(weights, 0);
            try (Buffer _ = Allocations.allocateAll(b, CPU.bufferType())) {
                TensorData.setFloats(x, ones());
                backend.compute(Graph.of(y));
                assertThat(TensorData.getFloats(y)).containsExactly(WIDTH, 2 * WIDTH, 3 * WIDTH);
            }
        }
    }

    @Test
    void computesOnJavaArraysToo() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.tensor(ElementType.F32, WIDTH);
        Tensor y = b.add(x, x);
        try (Buffer heap = HostBuffer.over(MemorySegment.ofArray(new long[WIDTH]), Long.BYTES);
                Backend backend = CPU.open()) {
            heap.place(x, 0);
            heap.place(y, x.byteSize());
            TensorData.setFloats(x, ones());
            backend.compute(Graph.of(y));
            assertThat(TensorData.getFloats(y)).containsOnly(2);
        }
    }

    @Test
    void backendsRunBesideEachOther() throws InterruptedException {
        int count = 2;
        AtomicInteger right = new AtomicInteger();
        List<Thread> users = IntStream.range(0, count)
                .mapToObj(i -> Thread.ofPlatform().start(() -> right.addAndGet(rightRuns(i + 1))))
                .toList();
        for (Thread user : users) {
            user.join();
        }
        assertThat(right).hasValue(count * 100);
    }

    /** How many of a hundred runs on a backend of its own give what they should. */
    private static int rightRuns(int factor) {
        try (Product product = new Product(BackendOptions.defaults().withThreads(2))) {
            int right = 0;
            for (int run = 0; run < 100; run++) {
                right += product.isRight(factor + run) ? 1 : 0;
            }
            return right;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    void usesAsManyThreadsAsRequestedUpToTheNumberOfProcessors(int threads) {
        try (Product product = new Product(BackendOptions.defaults().withThreads(threads))) {
            assertThat(product.isRight(3)).isTrue();
            assertThat(workers()).isEqualTo(Math.min(threads, PROCESSORS) - 1);
        }
    }

    @Test
    void usesAsManyThreadsAsThereAreCoresByDefault() {
        try (Backend _ = CPU.open()) {
            assertThat(workers()).isEqualTo(Processor.physicalCores() - 1);
        }
    }

    @Test
    void backendsShareTheirThreads() {
        try (Product first = new Product(BackendOptions.defaults().withThreads(PROCESSORS));
                Product second = new Product(BackendOptions.defaults().withThreads(PROCESSORS));
                Product third = new Product(BackendOptions.defaults().withThreads(PROCESSORS))) {
            assertThat(first.isRight(2) && second.isRight(3) && third.isRight(4))
                    .isTrue();
            assertThat(workers()).isEqualTo(PROCESSORS - 1);
        }
    }

    @Test
    void itsThreadsAreGoneOnceTheLastBackendIsClosed() {
        Backend first = CPU.open(BackendOptions.defaults().withThreads(PROCESSORS));
        Backend second = CPU.open(BackendOptions.defaults().withThreads(PROCESSORS));
        first.close();
        assertThat(workers()).isEqualTo(PROCESSORS - 1);
        second.close();
        assertThat(workers()).isZero();
    }

    private static long workers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("stowage-cpu-"))
                .count();
    }

    @Test
    void refusesASettingItDoesNotKnow() {
        BackendOptions options = BackendOptions.defaults().withSettings(Map.of("without-fusion", "all"));
        assertThatThrownBy(() -> CPU.open(options).close())
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("'without-fusion'")
                .hasMessageContaining("known: without-fusions");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rms-norm", "rope-set-rows,", "rope-set-rows, rms-norm-mul", "ALL"})
    void refusesAFusionItDoesNotKnow(String names) {
        BackendOptions options = BackendOptions.defaults().withSettings(Map.of("without-fusions", names));
        assertThatThrownBy(() -> CPU.open(options).close())
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("known: add-rms-norm, rms-norm-mul, rope-set-rows, all");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "all", "rms-norm-mul", "rope-set-rows,add-rms-norm"})
    void takesTheFusionsItKnows(String names) {
        BackendOptions options = BackendOptions.defaults().withSettings(Map.of("without-fusions", names));
        try (Product product = new Product(options)) {
            assertThat(product.isRight(2)).isTrue();
        }
    }

    @Test
    void stopsBetweenNodesWhenAskedTo() {
        GraphBuilder b = new GraphBuilder();
        Tensor x = b.tensor(ElementType.F32, WIDTH);
        Tensor first = b.add(x, x).named("first");
        Tensor second = b.mul(first, first).named("second");
        AtomicInteger asked = new AtomicInteger();
        BackendOptions options = BackendOptions.defaults().withAbort(() -> asked.incrementAndGet() == 2);
        try (Backend backend = CPU.open(options);
                Buffer _ = Allocations.allocateAll(b, CPU.bufferType())) {
            TensorData.setFloats(x, ones());
            TensorData.setFloats(second, new float[WIDTH]);
            assertThatThrownBy(() -> backend.compute(Graph.of(second)))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("second")
                    .hasMessageContaining("asked to stop");
            assertThat(TensorData.getFloats(first)).containsOnly(2);
            assertThat(TensorData.getFloats(second)).containsOnly(0);
        }
    }

    @Test
    void runsAgainAfterItWasStopped() {
        AtomicInteger asked = new AtomicInteger();
        BackendOptions options = BackendOptions.defaults().withThreads(2).withAbort(() -> asked.incrementAndGet() == 1);
        try (Product product = new Product(options)) {
            assertThatThrownBy(() -> product.isRight(2)).isInstanceOf(DeviceException.class);
            assertThat(product.isRight(2)).isTrue();
        }
    }

    @Test
    void preparedGraphsOfAClosedBackendAreRefused() {
        Product product = new Product(BackendOptions.defaults().withThreads(2));
        product.close();
        assertThatThrownBy(product.prepared::computeAsync).isInstanceOf(ClosedException.class);
    }

    private static float[] ones() {
        float[] ones = new float[WIDTH];
        Arrays.fill(ones, 1);
        return ones;
    }

    /** A matrix that has one factor in every place, times a column of ones, prepared on a backend. */
    private static final class Product implements AutoCloseable {

        private static final int ROWS = 512;

        final Backend backend;
        final PreparedGraph prepared;
        private final Tensor weights;
        private final Tensor result;
        private final Buffer buffer;

        Product(BackendOptions options) {
            GraphBuilder b = new GraphBuilder();
            weights = b.tensor(ElementType.F32, WIDTH, ROWS);
            Tensor x = b.tensor(ElementType.F32, WIDTH, 1);
            result = b.mulMat(weights, x);
            backend = CPU.open(options);
            buffer = Allocations.allocateAll(b, CPU.bufferType());
            TensorData.setFloats(x, ones());
            prepared = backend.prepare(BoundGraph.of(Graph.of(result)));
        }

        boolean isRight(int factor) {
            float[] values = new float[WIDTH * ROWS];
            Arrays.fill(values, factor);
            TensorData.setFloats(weights, values);
            backend.compute(prepared);
            for (float sum : TensorData.getFloats(result)) {
                if (sum != (float) factor * WIDTH) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void close() {
            prepared.close();
            backend.close();
            buffer.close();
        }
    }
}
