package dev.stowage.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.device.AddingDevice.AddingBackend;
import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferGroup;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.memory.TensorPair;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackendHoldTest {

    private final AddingBackend backend = open("adder");
    private final AddingBackend other = open("other");
    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 2);
    private final Tensor y = b.add(x, x).asOutput();
    private final Graph graph = b.build(y);
    private final Buffer memory = Allocations.allocateAll(b, HostBufferType.standard());
    private final BoundGraph bound = BoundGraph.of(graph);
    private final BufferGroup group = BufferGroup.of(new Buffer[] {memory});
    private final BackendHold hold = new BackendHold();

    private static AddingBackend open(String name) {
        return new AddingDevice(name, DeviceType.CPU, 0).open(BackendOptions.defaults());
    }

    private static void onAnotherThread(Runnable call) {
        CompletableFuture.runAsync(call).join();
    }

    private static void assertRefusedOnAnotherThread(Runnable call, Class<? extends Throwable> cause) {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> onAnotherThread(call))
                .havingCause()
                .isInstanceOf(cause);
    }

    private boolean isFreed() {
        try {
            return bound.tensor(x).segment().byteSize() == 0;
        } catch (ClosedException e) {
            return true;
        }
    }

    @AfterEach
    void close() {
        backend.close();
        other.close();
        memory.close();
    }

    @Test
    void keepsOtherThreadsOutBetweenCalls() {
        hold.begin(new Backend[] {backend}, group);
        backend.compute(bound);

        assertRefusedOnAnotherThread(backend::synchronize, DeviceException.class);
        assertRefusedOnAnotherThread(backend::close, DeviceException.class);
        hold.end();

        onAnotherThread(backend::synchronize);
    }

    @Test
    void callsOfItsThreadCompute() {
        TensorData.setFloats(x, 1, 2);
        hold.begin(new Backend[] {backend, other}, group);
        try (PreparedGraph prepared = backend.prepare(bound)) {
            backend.compute(prepared);
        } finally {
            hold.end();
        }

        assertThat(TensorData.getFloats(y)).containsExactly(2, 4);
    }

    @Test
    void aCallFromWithinACallIsRefused() {
        backend.whileRunning = () -> assertThatExceptionOfType(DeviceException.class)
                .isThrownBy(backend::synchronize)
                .withMessageContaining("in use by thread");
        hold.begin(new Backend[] {backend}, group);
        backend.compute(bound);
        backend.compute(bound);
        hold.end();
        backend.compute(bound);
    }

    @Test
    void memoryThatIsClosedMeanwhileIsUsableUntilTheEnd() {
        hold.begin(new Backend[] {backend}, group);
        onAnotherThread(memory::close);
        backend.synchronize();

        assertThat(isFreed()).isFalse();
        hold.end();
        assertThat(isFreed()).isTrue();
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> hold.begin(new Backend[] {backend}, group));
        assertThatCode(backend::synchronize).doesNotThrowAnyException();
    }

    @Test
    void otherMemoryIsLeasedByTheCallThatUsesIt() {
        GraphBuilder more = new GraphBuilder();
        Tensor p = more.input("p", ElementType.F32, 2);
        Tensor q = more.add(p, p).asOutput();
        Graph outside = more.build(q);
        Buffer apart = Allocations.allocateAll(more, HostBufferType.standard());
        TensorData.setFloats(p, 3, 4);
        BoundGraph boundOutside = BoundGraph.of(outside);
        hold.begin(new Backend[] {backend}, group);

        backend.compute(boundOutside);
        assertThat(TensorData.getFloats(q)).containsExactly(6, 8);
        hold.copy(new TensorPair(BoundTensor.of(q), BoundTensor.of(x)));
        assertThat(TensorData.getFloats(x)).containsExactly(6, 8);
        apart.close();
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> backend.compute(boundOutside));
        hold.end();
    }

    @Test
    void aGraphThatIsClosedMeanwhileIsReleasedAtTheEnd() {
        PreparedGraph prepared = backend.prepare(bound);
        hold.begin(new Backend[] {backend}, group);
        onAnotherThread(prepared::close);

        assertThatExceptionOfType(ClosedException.class).isThrownBy(prepared::computeAsync);
        hold.end();
        assertThatCode(backend::close).doesNotThrowAnyException();
    }

    @Test
    void holdsNothingIfOneIsInUse() {
        other.whileRunning = () -> assertRefusedOnAnotherThread(
                () -> hold.begin(new Backend[] {backend, other}, group), DeviceException.class);
        other.compute(bound);

        onAnotherThread(backend::synchronize);
        hold.begin(new Backend[] {backend, other}, group);
        hold.end();
    }

    @Test
    void beginsOnceAndEndsOnItsThread() {
        hold.begin(new Backend[] {backend}, group);

        assertThatExceptionOfType(AccessException.class).isThrownBy(() -> hold.begin(new Backend[] {other}, group));
        assertRefusedOnAnotherThread(hold::end, AccessException.class);
        hold.end();
        assertThatExceptionOfType(AccessException.class).isThrownBy(hold::end);
    }
}
