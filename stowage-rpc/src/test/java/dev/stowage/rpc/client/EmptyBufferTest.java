package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** A buffer without bytes is one here, and none on the server until a message has to name it. */
class EmptyBufferTest {

    private final Tensor nothing = Tensor.leaf(Layout.contiguous(ElementType.F32, 0, 4));

    @Test
    void takesNoMemoryOfTheServer() throws Exception {
        try (Loopback loopback = new Loopback("reference")) {
            try (Buffer empty = loopback.remote().bufferType().allocate(0)) {
                empty.clear((byte) 1);
                empty.place(nothing, 0);
                assertThat(empty.size()).isZero();
                assertThat(loopback.server().memoryInUse()).isZero();
            }
            assertThat(loopback.remote().lossCause()).isEmpty();
        }
    }

    @Test
    void canBeWrittenReadAndCopied() throws Exception {
        try (Loopback loopback = new Loopback("reference");
                Backend backend = loopback.remote().open()) {
            try (Buffer one = loopback.remote().bufferType().allocate(0);
                    Buffer another = loopback.remote().bufferType().allocate(0)) {
                BoundTensor from = BoundTensor.at(nothing, one, 0);
                BoundTensor to = BoundTensor.at(nothing, another, 0);
                from.set(0, MemorySegment.ofArray(new float[0]));
                backend.setAsync(from, 0, MemorySegment.ofArray(new float[0]));
                Buffer.copy(from, to);
                to.get(0, MemorySegment.ofArray(new float[0]));
                backend.synchronize();
            }
            // Memory of freed buffers is given back when the server has read so.
            assertThat(loopback.remote().memory().total()).isPositive();
            assertThat(loopback.server().memoryInUse()).isZero();
            assertThat(loopback.remote().lossCause()).isEmpty();
        }
    }

    @Test
    void takesOneByteOnceHoweverManyThreadsNeedIt() throws Exception {
        try (Loopback loopback = new Loopback("reference");
                ExecutorService threads = Executors.newFixedThreadPool(8);
                Buffer empty = loopback.remote().bufferType().allocate(0)) {
            List<Future<Long>> handles = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                handles.add(threads.submit(((RpcBuffer) empty)::handle));
            }
            for (Future<Long> handle : handles) {
                assertThat(handle.get()).isEqualTo(((RpcBuffer) empty).handle());
            }
            assertThat(loopback.server().memoryInUse()).isEqualTo(1);
        }
    }
}
