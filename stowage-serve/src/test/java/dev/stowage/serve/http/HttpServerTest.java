package dev.stowage.serve.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.junit.jupiter.api.Test;

/** What connections share, which is as little as possible. */
class HttpServerTest {

    private static final int SIZE = 8 << 10;

    /** Jetty may still read into a buffer that a connection gave back, which must not be where another has its request. */
    @Test
    void noConnectionGetsTheBufferOfAnother() throws IOException {
        Router router = new Router(new Access(List.of(), List.of(), true));
        try (HttpServer server = HttpServer.start("127.0.0.1", 0, router, HttpLimits.defaults())) {
            for (boolean direct : new boolean[] {false, true}) {
                RetainableByteBuffer first = server.buffers().acquire(SIZE, direct);
                ByteBuffer given = first.getByteBuffer();
                first.release();
                RetainableByteBuffer second = server.buffers().acquire(SIZE, direct);
                assertThat(second.getByteBuffer()).isNotSameAs(given);
                second.release();
            }
        }
    }
}
