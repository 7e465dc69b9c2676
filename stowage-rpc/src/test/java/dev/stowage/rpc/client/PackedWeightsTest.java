package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.PreparedGraph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.rpc.server.RpcServerOptions;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server keeps copies of weights as its device wants them, and clients notice nothing of it but the speed. */
class PackedWeightsTest {

    private static final int SIZE = 32;
    private static final long WEIGHT_BYTES = (long) SIZE * SIZE * Float.BYTES;

    private final AtomicReference<PackingDevice> device = new AtomicReference<>();
    private final Loopback loopback;

    PackedWeightsTest() throws IOException {
        this.loopback = loopback(options -> options);
    }

    private Loopback loopback(UnaryOperator<RpcServerOptions> options) throws IOException {
        return new Loopback(
                "reference",
                lent -> {
                    device.set(new PackingDevice(lent));
                    return device.get();
                },
                options);
    }

    @AfterEach
    void close() {
        loopback.close();
    }

    private long copies() {
        return device.get().packedNow();
    }

    /** A client that multiplies two matrices of weights with a vector, and sums up what comes out. */
    static final class Client implements AutoCloseable {

        private final GraphBuilder b = new GraphBuilder();
        private final Tensor first = b.tensor(ElementType.F32, SIZE, SIZE).named("first");
        private final Tensor second = b.tensor(ElementType.F32, SIZE, SIZE).named("second");
        private final Tensor x = b.input("x", ElementType.F32, SIZE);
        private final Tensor product = b.mulMat(second, b.mulMat(first, x)).asOutput();
        private final Device remote;
        private final Buffer weights;
        private final Backend backend;
        private final GraphAllocator allocator;
        private final BoundGraph bound;
        private final PreparedGraph prepared;

        Client(Device remote) {
            this.remote = remote;
            this.weights = Allocations.allocateAll(List.of(first, second), remote.bufferType());
            this.backend = remote.open();
            this.allocator = GraphAllocator.on(remote.bufferType());
            this.bound = allocator.bind(b.build(product));
            this.prepared = backend.prepare(bound);
            fill(first, 1);
            fill(second, 1);
        }

        static void fill(Tensor weight, float value) {
            float[] values = new float[SIZE * SIZE];
            Arrays.fill(values, value);
            TensorData.setFloats(weight, values);
        }

        /** The first number that comes out for a vector of ones. */
        float run() {
            float[] ones = new float[SIZE];
            Arrays.fill(ones, 1);
            TensorData.setFloats(bound.tensor(x), ones);
            backend.compute(prepared);
            return TensorData.getFloats(bound.tensor(product))[0];
        }

        /** Runs a graph of its own that ends with that tensor. */
        float[] result(Tensor output) {
            try (GraphAllocator other = GraphAllocator.on(remote.bufferType())) {
                BoundGraph graph = other.bind(b.build(output.asOutput()));
                backend.compute(graph);
                return TensorData.getFloats(graph.tensor(output));
            }
        }

        @Override
        public void close() {
            prepared.close();
            allocator.close();
            backend.close();
            weights.close();
        }
    }

    private static final float ONES = SIZE * SIZE;

    @Test
    void factorsOfProductsGetACopyOnceAndCountAsMemoryOfTheClient() {
        try (Client client = new Client(loopback.remote())) {
            assertThat(copies()).isZero();
            long before = loopback.server().memoryInUse();
            assertThat(client.run()).isEqualTo(ONES);
            assertThat(client.run()).isEqualTo(ONES);
            assertThat(client.result(client.b.mulMat(client.second, client.x))).hasSize(SIZE);
            assertThat(copies()).isEqualTo(2);
            assertThat(device.get().packedEver()).isEqualTo(2);
            assertThat(loopback.server().memoryInUse() - before).isGreaterThanOrEqualTo(2 * WEIGHT_BYTES);
        }
    }

    /** Ways to make all numbers of the first matrix 0. */
    static Stream<Consumer<Client>> writes() {
        return Stream.of(
                client -> BoundTensor.of(client.first).memset(0, WEIGHT_BYTES, (byte) 0),
                client -> Client.fill(client.first, 0),
                client -> client.weights.clear((byte) 0),
                client -> {
                    Tensor zeros = Tensor.leaf(client.first.layout());
                    try (Buffer _ = Allocations.allocateAll(List.of(zeros), client.remote.bufferType())) {
                        Client.fill(zeros, 0);
                        Buffer.copy(zeros, client.first);
                    }
                });
    }

    @ParameterizedTest
    @MethodSource("writes")
    void weightsThatAreWrittenLaterAreReadAsTheyAreNow(Consumer<Client> write) {
        try (Client client = new Client(loopback.remote())) {
            assertThat(client.run()).isEqualTo(ONES);
            write.accept(client);
            assertThat(client.run()).isZero();
            Client.fill(client.first, 2);
            Client.fill(client.second, 1);
            assertThat(client.run()).isEqualTo(2 * ONES);
            assertThat(device.get().packedEver()).as("none is made again").isEqualTo(2);
        }
    }

    @Test
    void aWriteIntoAPartOfAMatrixDropsThatCopyAlone() {
        try (Client client = new Client(loopback.remote())) {
            assertThat(client.run()).isEqualTo(ONES);
            BoundTensor.of(client.first).memset(WEIGHT_BYTES / 2, Float.BYTES, (byte) 0);
            assertThat(client.run()).isEqualTo(ONES - 1);
            assertThat(copies()).isEqualTo(1);
        }
    }

    @Test
    void aGraphThatWritesIntoWeightsIsSeenByThoseThatMultiply() {
        try (Client client = new Client(loopback.remote())) {
            assertThat(client.run()).isEqualTo(ONES);
            Tensor doubled = client.b.cpy(client.b.scale(client.first, 2), client.first);
            client.result(doubled);
            assertThat(client.run()).isEqualTo(2 * ONES);
            client.result(doubled);
            assertThat(client.run()).isEqualTo(4 * ONES);
            assertThat(copies())
                    .as("of matrices in memory that a graph computes into")
                    .isZero();
        }
    }

    @Test
    void whateverElseReadsAWeightReadsTheBytesOfTheClient() {
        try (Client client = new Client(loopback.remote())) {
            client.run();
            Tensor sum = client.b.add(client.second, client.b.mulMat(client.second, client.x));
            assertThat(client.result(sum)).hasSize(SIZE * SIZE);
            assertThat(client.result(client.b.scale(client.first, 3))).containsOnly(3);
            assertThat(TensorData.getFloats(client.first)).containsOnly(1);
            assertThat(copies()).isEqualTo(2);
        }
    }

    @Test
    void copiesGoWithTheBufferAndAnotherInItsPlaceIsNotMistakenForIt() {
        Device remote = loopback.remote();
        for (int round = 1; round <= 3; round++) {
            try (Client client = new Client(remote)) {
                Client.fill(client.first, round);
                assertThat(client.run()).isEqualTo(round * ONES);
                assertThat(copies()).isEqualTo(2);
            }
        }
        try (Client client = new Client(remote)) {
            assertThat(client.remote.memory().total()).isPositive();
            assertThat(copies()).isZero();
        }
    }

    @Test
    void clientsHaveCopiesOfTheirOwn() {
        try (RpcProvider second = loopback.connect();
                Client a = new Client(loopback.remote());
                Client b = new Client(second.devices().getFirst())) {
            assertThat(a.run()).isEqualTo(ONES);
            assertThat(b.run()).isEqualTo(ONES);
            assertThat(copies()).isEqualTo(4);
            Client.fill(a.first, 5);
            assertThat(a.run()).isEqualTo(5 * ONES);
            assertThat(b.run()).isEqualTo(ONES);
            assertThat(copies()).isEqualTo(3);
        }
    }

    @Test
    void copiesAreGivenUpForMemoryThatTheClientAsksFor() throws IOException {
        long limit = 40 * WEIGHT_BYTES;
        try (Loopback limited = loopback(options -> options.withMemory(limit));
                Client client = new Client(limited.remote())) {
            assertThat(client.run()).isEqualTo(ONES);
            assertThat(copies()).isEqualTo(2);
            long free = limited.remote().memory().free();
            try (Buffer rest = limited.remote().bufferType().allocate(free)) {
                assertThat(rest.size()).isEqualTo(free);
                assertThat(copies()).isZero();
            }
            assertThat(client.run()).isEqualTo(ONES);
            assertThat(copies()).isZero();
        }
    }

    @Test
    void thereAreNoCopiesWhereTheyWouldTakeMostOfTheMemory() throws IOException {
        try (Loopback limited = loopback(options -> options.withMemory(5 * WEIGHT_BYTES));
                Client client = new Client(limited.remote())) {
            assertThat(client.run()).isEqualTo(ONES);
            assertThat(device.get().packedEver()).isZero();
        }
    }

    /** The processor interleaves rows, so that a write into one is spread over the copy. */
    @Test
    void quantisedWeightsOfTheProcessorCanBeWrittenInPart() throws IOException {
        GraphBuilder b = new GraphBuilder();
        Tensor weight = b.tensor(ElementType.Q4_0, 64, 64).named("weight");
        Tensor x = b.input("x", ElementType.F32, 64);
        Tensor product = b.mulMat(weight, x).asOutput();
        try (Loopback cpu = new Loopback("cpu");
                Buffer _ = Allocations.allocateAll(List.of(weight), cpu.remote().bufferType());
                Backend backend = cpu.remote().open();
                GraphAllocator allocator = GraphAllocator.on(cpu.remote().bufferType())) {
            BoundGraph bound = allocator.bind(b.build(product));
            BoundTensor.of(weight).memset(0, weight.byteSize(), (byte) 0x3c);
            float[] ones = new float[64];
            Arrays.fill(ones, 1);
            float[] before = run(backend, bound, x, product, ones);
            assertThat(before).containsOnly(before[0]);
            long row = weight.byteSize() / 64;
            BoundTensor.of(weight).memset(5 * row, row, (byte) 0);
            float[] after = run(backend, bound, x, product, ones);
            before[5] = 0;
            assertThat(after).containsExactly(before, within(1e-3f));
        }
    }

    private static float[] run(Backend backend, BoundGraph bound, Tensor x, Tensor product, float[] values) {
        TensorData.setFloats(bound.tensor(x), values);
        backend.compute(bound);
        return TensorData.getFloats(bound.tensor(product));
    }
}
