package dev.stowage.cuda.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.cuda.kernel.KernelLibrary;
import dev.stowage.cuda.memory.unit.PackingBodies;
import dev.stowage.cuda.recording.RecordingDriver;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is written to memory in units is read back, whichever bytes are written and read at once. */
class RepackedBufferTest {

    private final RecordingDriver driver = PackingBodies.addTo(new RecordingDriver(1L << 30));
    private final DeviceContext context = new DeviceContext(driver, 0, "cuda0");
    private final KernelLibrary kernels = new KernelLibrary(driver, context.handle(), 90);
    private final RepackedType type = new RepackedType(context, () -> kernels);
    private final SplittableRandom random = new SplittableRandom(5);
    private final GraphBuilder b = new GraphBuilder();

    @AfterEach
    void nothingIsLeft() {
        assertThat(context.live().deviceAllocations()).isZero();
        assertThat(driver.violations()).isEmpty();
        kernels.close();
        context.lanes().close();
        context.close();
    }

    private BoundTensor placed(Buffer buffer, Tensor tensor) {
        buffer.place(tensor, 0);
        return BoundTensor.of(tensor);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"Q4_0", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "F16", "BF16"})
    void givesBackBytesWrittenAnywhere(ElementType elements) {
        Tensor tensor = b.tensor(elements, 1280, 7, 2);
        try (Buffer buffer = type.allocate(type.allocationSize(tensor))) {
            BoundTensor bound = placed(buffer, tensor);
            byte[] expected = new byte[(int) tensor.byteSize()];
            random.nextBytes(expected);
            bound.set(0, MemorySegment.ofArray(expected));
            for (int i = 0; i < 8; i++) {
                int from = random.nextInt(expected.length);
                byte[] part = new byte[random.nextInt(1, Math.min(9000, expected.length - from) + 1)];
                random.nextBytes(part);
                System.arraycopy(part, 0, expected, from, part.length);
                bound.set(from, MemorySegment.ofArray(part));
            }
            byte[] all = new byte[expected.length];
            bound.get(0, MemorySegment.ofArray(all));
            assertThat(all).isEqualTo(expected);
            byte[] some = new byte[3001];
            bound.get(517, MemorySegment.ofArray(some));
            assertThat(some).isEqualTo(Arrays.copyOfRange(expected, 517, 517 + some.length));
        }
    }

    @Test
    void fillsBytesOfTensors() {
        Tensor tensor = b.tensor(ElementType.Q4_K, 512, 5);
        try (Buffer buffer = type.allocate(type.allocationSize(tensor))) {
            BoundTensor bound = placed(buffer, tensor);
            bound.memset(0, tensor.byteSize(), (byte) 0x5a);
            byte[] all = new byte[(int) tensor.byteSize()];
            bound.get(0, MemorySegment.ofArray(all));
            assertThat(all).containsOnly(0x5a);
        }
    }

    @Test
    void copiesPlainMemoryOfTheSameGpuOnTheDevice() {
        Tensor plain = b.tensor(ElementType.Q6_K, 768, 6);
        Tensor packed = b.tensor(ElementType.Q6_K, 768, 6);
        byte[] expected = new byte[(int) plain.byteSize()];
        random.nextBytes(expected);
        try (Buffer from = new DeviceMemoryType(context).allocate(plain.byteSize());
                Buffer to = type.allocate(type.allocationSize(packed))) {
            BoundTensor source = placed(from, plain);
            source.set(0, MemorySegment.ofArray(expected));
            BoundTensor target = placed(to, packed);
            Buffer.copy(source, target);
            byte[] read = new byte[expected.length];
            target.get(0, MemorySegment.ofArray(read));
            assertThat(read).isEqualTo(expected);
        }
    }

    @Test
    void refusesViewsAndLayoutsThatDoNotSuit() {
        Tensor tensor = b.tensor(ElementType.F32, 64, 4);
        try (Buffer buffer = type.allocate(type.allocationSize(tensor))) {
            assertThatThrownBy(() -> buffer.place(tensor, 0))
                    .isInstanceOf(InvalidTensorException.class)
                    .hasMessageContaining("weightsType");
        }
    }
}
