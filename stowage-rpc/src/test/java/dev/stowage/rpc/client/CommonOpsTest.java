package dev.stowage.rpc.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.OpSupport;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.rpc.client.FakeServer.Script;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.Watch;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is sent to a device of which nothing is known but its memory. */
class CommonOpsTest {

    private final GraphBuilder b = new GraphBuilder();

    private Tensor attention(int head, ElementType cache) {
        Tensor q = b.input("q", ElementType.F32, head, 1, 2);
        Tensor k = b.input("k", cache, head, 32, 2);
        Tensor v = b.input("v", cache, head, 32, 2);
        return b.flashAttention(q, k, v, null, 1, 0, 0);
    }

    @ParameterizedTest
    @CsvSource({"64, F16, true", "128, F16, true", "32, F16, false", "64, Q8_0, false", "64, F32, false"})
    void attentionIsSentAnywhereIfEveryBackendHasIt(int head, ElementType cache, boolean sent) {
        assertThat(CommonOps.supports(attention(head, cache)).isSupported()).isEqualTo(sent);
    }

    @ParameterizedTest
    @CsvSource({
        "64, F16, true",
        "32, F16, true",
        "80, F16, true",
        "32, Q8_0, true",
        "64, IQ4_NL, true",
        "64, F32, false"
    })
    void processorsHaveMoreOfIt(int head, ElementType cache, boolean sent) {
        assertThat(CommonOps.supportsOnProcessor(attention(head, cache)).isSupported())
                .isEqualTo(sent);
    }

    /** As llama.cpp's devices say: 32 is the alignment of its processor, 128 that of CUDA; neither has a largest buffer. */
    @ParameterizedTest
    @CsvSource({"32, true", "128, false"})
    void aDeviceIsKnownForAProcessorByItsMemory(long alignment, boolean processor) throws Exception {
        assertThat(supports(alignment, RpcClientOptions.defaults())).isEqualTo(processor);
    }

    @Test
    void whatTheCallerSaysOfAServerCountsForProcessorsToo() throws Exception {
        RpcClientOptions options = RpcClientOptions.defaults().withClaims(_ -> OpSupport.no("nothing at all"));
        assertThat(supports(32, options)).isFalse();
    }

    private boolean supports(long alignment, RpcClientOptions options) throws Exception {
        byte[] answer = new byte[Long.BYTES];
        ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).putLong(alignment);
        Script script = Script.answering(Command.GET_ALIGNMENT, answer, Dialect.DEFAULT);
        try (FakeServer server = new FakeServer();
                Connection connection =
                        Connection.over(server.connect(script), new Endpoint("fake", 1), options, Watch.SYSTEM)) {
            RpcDevice device = RemoteServer.find(connection, 0, options).getFirst();
            return device.supports(attention(32, ElementType.F16)).isSupported();
        }
    }
}
