package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.device.PreparedGraph;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A small write of pinned memory before a program is done by the program, and in order with everything else. */
class HostWriteTest {

    private static final int WIDTH = 8;
    private static final long BYTES = WIDTH * 4L;

    private final RecordingDriver driver = new RecordingDriver(1 << 24);
    private final CudaDevice device = new CudaDevice(driver, 0, new ReferenceCompiler(driver));
    private final GraphAllocator allocator = GraphAllocator.on(device.bufferType());
    private final Buffer pinned = device.hostBufferType().orElseThrow().allocate(4 * BYTES);
    private final Backend backend = device.open();
    private final Tensor x;
    private final Tensor y;
    private final BoundGraph bound;
    private final PreparedGraph prepared;

    HostWriteTest() {
        GraphBuilder b = new GraphBuilder();
        this.x = b.input("x", ElementType.F32, WIDTH);
        this.y = b.scaleInplace(x, 2).asOutput();
        Graph graph = b.build(y);
        this.bound = allocator.bind(graph);
        this.prepared = backend.prepare(bound);
    }

    @AfterEach
    void close() {
        prepared.close();
        backend.close();
        pinned.close();
        allocator.close();
        device.close();
        assertThat(driver.leaks()).isEmpty();
        assertThat(driver.violations()).isEmpty();
    }

    /** One of the pieces of pinned memory with a value in it. */
    private MemorySegment piece(int number, float value) {
        MemorySegment piece = pinned.segment().asSlice(number * BYTES, BYTES);
        for (int i = 0; i < WIDTH; i++) {
            piece.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
        }
        return piece;
    }

    private float result() {
        float[] found = new float[WIDTH];
        backend.getAsync(bound.tensor(y), 0, MemorySegment.ofArray(found));
        backend.synchronize();
        return found[WIDTH - 1];
    }

    private void run(int number, float value) {
        backend.setAsync(bound.tensor(x), 0, piece(number, value));
        prepared.computeAsync();
    }

    @Test
    void aRunAfterTheSameWriteIsOneCall() {
        for (int i = 0; i < 4; i++) {
            int before = driver.calls().size();
            run(0, i);
            List<String> calls = driver.calls().subList(before, driver.calls().size());
            if (i > 1) {
                assertThat(calls).noneMatch(call -> call.contains("Memcpy")).hasSize(1);
            }
            assertThat(result()).isEqualTo(2f * i);
        }
    }

    @Test
    void writesThatChangeAreDoneBeforeTheProgram() {
        Random random = new Random(3);
        for (int i = 1; i < 60; i++) {
            run(random.nextInt(3), i);
            assertThat(result()).as("run %d", i).isEqualTo(2f * i);
            if (random.nextInt(4) == 0) {
                prepared.computeAsync();
                assertThat(result()).as("of its own result").isEqualTo(4f * i);
            }
        }
    }

    @Test
    void ofTwoWritesTheLaterCounts() {
        for (int i = 1; i < 5; i++) {
            backend.setAsync(bound.tensor(x), 0, piece(1, -1));
            run(0, i);
            assertThat(result()).isEqualTo(2f * i);
        }
    }

    @Test
    void whatComesInBetweenComesAfterTheWrite() {
        for (int i = 1; i < 5; i++) {
            backend.setAsync(bound.tensor(x), 0, piece(0, i));
            backend.fillAsync(bound.tensor(x), 0, BYTES, (byte) 0);
            prepared.computeAsync();
            assertThat(result()).isZero();
        }
    }

    @Test
    void anEventAfterTheWriteIsAfterIt() {
        try (Backend other = device.open();
                Event event = device.createEvent()) {
            backend.setAsync(bound.tensor(x), 0, piece(0, 5));
            backend.record(event);
            other.await(event);
            float[] found = new float[WIDTH];
            other.getAsync(bound.tensor(x), 0, MemorySegment.ofArray(found));
            other.synchronize();
            assertThat(found[0]).isEqualTo(5);
        }
    }

    @Test
    void aWriteWithoutAProgramArrives() {
        backend.setAsync(bound.tensor(x), 0, piece(0, 7));
        float[] found = new float[WIDTH];
        backend.synchronize();
        bound.tensor(x).get(0, MemorySegment.ofArray(found));
        assertThat(found[0]).isEqualTo(7);
    }
}
