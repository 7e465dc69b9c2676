package dev.stowage.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cuda.driver.CudaErrors;
import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Products of many columns are computed by the GPU with weights that the processor keeps in pinned memory. */
class OffloadedWeightsTest {

    private static final int LAYERS = 6;
    private static final int WIDTH = 48;
    private static final int COLUMNS = 40;

    private final RecordingDriver driver = new RecordingDriver(1L << 28);
    private final CudaDevice gpu = new CudaDevice(driver, 0, new ReferenceCompiler(driver));
    private final Device cpu = DeviceRegistry.load().device("reference");
    private final Random random = new Random(11);

    @AfterEach
    void everythingIsGivenBack() {
        gpu.close();
        assertThat(driver.leaks()).isEmpty();
        assertThat(driver.violations()).isEmpty();
    }

    /** Products one after the other, after each of which the processor keeps a copy, as of keys and values. */
    private static final class Model implements AutoCloseable {
        private final Tensor x;
        private final Tensor y;
        private final Graph graph;
        private final List<Tensor> weights = new ArrayList<>();
        private final List<Tensor> kept = new ArrayList<>();
        private final Buffer weightMemory;
        private final Buffer keptMemory;

        Model(BufferType weightType, Device processor) {
            GraphBuilder b = new GraphBuilder();
            x = b.input("x", ElementType.F32, WIDTH, COLUMNS);
            for (int layer = 0; layer < LAYERS; layer++) {
                weights.add(b.weight("w" + layer, ElementType.F32, WIDTH, WIDTH));
                kept.add(Tensor.leaf(Layout.contiguous(ElementType.F32, WIDTH, COLUMNS))
                        .named("kept" + layer));
            }
            weightMemory = Allocations.allocateAll(weights, weightType).setUsage(BufferUsage.WEIGHTS);
            keptMemory = Allocations.allocateAll(kept, processor.bufferType());
            Tensor current = x;
            List<Tensor> outputs = new ArrayList<>();
            for (int layer = 0; layer < LAYERS; layer++) {
                current = b.mulMat(weights.get(layer), current);
                Tensor stored = b.cpy(current, kept.get(layer));
                outputs.add(stored);
                current = b.add(b.scale(current, 0.25f), stored);
            }
            y = current.asOutput();
            outputs.add(y);
            graph = b.build(outputs.toArray(Tensor[]::new));
        }

        void setWeights(Random random) {
            for (Tensor weight : weights) {
                weightMemory.set(weight, 0, MemorySegment.ofArray(floats(random, WIDTH * WIDTH)));
            }
        }

        @Override
        public void close() {
            weightMemory.close();
            keptMemory.close();
        }
    }

    private static float[] floats(Random random, int count) {
        float[] floats = new float[count];
        for (int i = 0; i < count; i++) {
            floats[i] = random.nextFloat() - 0.5f;
        }
        return floats;
    }

    private static float[] run(BoundSchedule bound, Model model, float[] input) {
        float[] output = new float[WIDTH * COLUMNS];
        bound.tensor(model.x).set(0, MemorySegment.ofArray(input));
        bound.run();
        bound.tensor(model.y).get(0, MemorySegment.ofArray(output));
        return output;
    }

    private static final ScheduleOptions OPTIONS =
            ScheduleOptions.defaults().withEvents().withOffloadedOps(true);

    private List<BufferType> memory() {
        return List.of(gpu.bufferType(), gpu.hostBufferType().orElseThrow());
    }

    @Test
    void givesWhatTheProcessorGives() {
        List<float[]> inputs = List.of(floats(random, WIDTH * COLUMNS), floats(random, WIDTH * COLUMNS));
        List<float[]> expected = new ArrayList<>();
        List<float[]> found = new ArrayList<>();
        try (Model model = new Model(cpu.bufferType(), cpu);
                Backend processor = cpu.open();
                Scheduler scheduler = Scheduler.over(List.of(processor), OPTIONS)) {
            model.setWeights(new Random(3));
            BoundSchedule bound = scheduler.bind(model.graph);
            inputs.forEach(input -> expected.add(run(bound, model, input)));
        }
        try (Model model = new Model(gpu.hostBufferType().orElseThrow(), cpu);
                Backend device = gpu.open();
                Backend processor = cpu.open();
                Scheduler scheduler = Scheduler.over(List.of(device, processor), memory(), OPTIONS)) {
            model.setWeights(new Random(3));
            BoundSchedule bound = scheduler.bind(model.graph);
            inputs.forEach(input -> found.add(run(bound, model, input)));
            assertThat(bound.schedule().splits()).hasSizeGreaterThan(2 * LAYERS);
            assertThat(bound.schedule().explain()).contains("w0");
        }
        for (int i = 0; i < inputs.size(); i++) {
            assertThat(found.get(i)).containsExactly(expected.get(i));
        }
        assertThat(driver.calls()).contains("cuMemcpyAsync");
    }

    @Test
    void weightsThatAreChangedBetweenRunsAreFetchedAgain() {
        float[] input = floats(random, WIDTH * COLUMNS);
        try (Model model = new Model(gpu.hostBufferType().orElseThrow(), cpu);
                Backend device = gpu.open();
                Backend processor = cpu.open();
                Scheduler scheduler = Scheduler.over(List.of(device, processor), memory(), OPTIONS)) {
            BoundSchedule bound = scheduler.bind(model.graph);
            model.setWeights(new Random(3));
            float[] first = run(bound, model, input);
            model.setWeights(new Random(4));
            assertThat(run(bound, model, input)).isNotEqualTo(first);
            model.setWeights(new Random(3));
            assertThat(run(bound, model, input)).containsExactly(first);
        }
    }

    /** A run that fails has announced weights that it did not copy; the next one must not take them for its own. */
    @Test
    void aRunAfterOneThatFailedIsRight() {
        float[] input = floats(random, WIDTH * COLUMNS);
        try (Model model = new Model(gpu.hostBufferType().orElseThrow(), cpu);
                Backend device = gpu.open();
                Backend processor = cpu.open();
                Scheduler scheduler = Scheduler.over(List.of(device, processor), memory(), OPTIONS)) {
            BoundSchedule bound = scheduler.bind(model.graph);
            model.setWeights(new Random(3));
            float[] expected = run(bound, model, input);
            int before = driver.calls().size();
            run(bound, model, input);
            int calls = driver.calls().size() - before;
            for (int call = 0; call < calls; call += 3) {
                model.setWeights(new Random(5));
                driver.failCall(driver.calls().size() + call, CudaErrors.INVALID_VALUE);
                try {
                    run(bound, model, input);
                } catch (StowageException e) {
                    assertThat(e).as("call %d", call).hasMessageContaining("cuda0");
                }
                driver.failCall(-1, CudaErrors.INVALID_VALUE);
                model.setWeights(new Random(3));
                assertThat(run(bound, model, input)).as("call %d", call).containsExactly(expected);
            }
        }
    }

    @Test
    void weightsThatAreClosedAreRefused() {
        Model model = new Model(gpu.hostBufferType().orElseThrow(), cpu);
        try (Backend device = gpu.open();
                Backend processor = cpu.open();
                Scheduler scheduler = Scheduler.over(List.of(device, processor), memory(), OPTIONS)) {
            model.setWeights(random);
            BoundSchedule bound = scheduler.bind(model.graph);
            float[] input = floats(random, WIDTH * COLUMNS);
            run(bound, model, input);
            model.close();
            assertThatThrownBy(() -> run(bound, model, input)).isInstanceOf(StowageException.class);
        }
    }
}
