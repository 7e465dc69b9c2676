package dev.stowage.cli.rpc;

import dev.stowage.rpc.wire.Command;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Stands between one client and a server, and notes what the client asks. */
final class RequestRelay implements AutoCloseable {

    private final InetSocketAddress server;
    private final ServerSocket listening;
    private final List<Command> requests = new ArrayList<>();

    RequestRelay(InetSocketAddress server) throws IOException {
        this.server = server;
        this.listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::relay);
    }

    String endpoint() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    /** What has been asked since this was called last. */
    List<Command> takeRequests() {
        synchronized (requests) {
            List<Command> taken = List.copyOf(requests);
            requests.clear();
            return taken;
        }
    }

    private void relay() {
        try (Socket client = listening.accept();
                Socket upstream = new Socket(server.getAddress(), server.getPort())) {
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            Thread answers = Thread.ofVirtual().start(() -> answers(upstream, client));
            DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
            byte[] head = new byte[Command.HEADER_BYTES];
            for (int first = in.read(); first >= 0; first = in.read()) {
                head[0] = (byte) first;
                in.readFully(head, 1, Long.BYTES);
                long size = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getLong(1);
                synchronized (requests) {
                    requests.add(Objects.requireNonNull(Command.ofNumber(first)));
                }
                forward(head, in, size, upstream.getOutputStream());
            }
            upstream.shutdownOutput();
            answers.join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Passes a request on in as few pieces as it can. */
    private static void forward(byte[] head, DataInputStream in, long size, OutputStream out) throws IOException {
        byte[] piece = new byte[(int) Math.min(head.length + size, 1 << 20)];
        System.arraycopy(head, 0, piece, 0, head.length);
        int filled = head.length;
        for (long left = size; ; ) {
            int count = (int) Math.min(piece.length - filled, left);
            in.readFully(piece, filled, count);
            out.write(piece, 0, filled + count);
            left -= count;
            filled = 0;
            if (left == 0) {
                return;
            }
        }
    }

    private static void answers(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // one of the two is gone, which ends both
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
