package dev.stowage.rpc.client;

import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.Dialect;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A server that computes nothing and answers as a real one would, up to one reply that has a fault. It serves one client after
 * the other over a socket of the file system, of which there are as many as one likes.
 */
final class FakeServer implements AutoCloseable {

    /** What is wrong with a reply. */
    enum Fault {
        /** It ends before its last byte, and so does all the server says. */
        CUT,
        /** Nothing, but it comes in pieces of few bytes. */
        PIECES,
        /** It has the right length and any bytes. */
        GARBAGE,
        /** One bit of it is another one, its length included. */
        BIT,
        /** It has another length than it should, and is the last. */
        LENGTH,
        /** It does not come. */
        SILENCE
    }

    /** A fault in reply {@code at}, counted from 0; some commands are answered with bytes that are given. */
    record Script(Fault fault, int at, long seed, Dialect dialect, Map<Command, byte[]> answers) {

        Script(Fault fault, int at, long seed, Dialect dialect) {
            this(fault, at, seed, dialect, Map.of());
        }

        /** No fault but this answer. */
        static Script answering(Command command, byte[] answer, Dialect dialect) {
            return new Script(Fault.PIECES, Integer.MAX_VALUE, 0, dialect, Map.of(command, answer));
        }
    }

    private final Path folder;
    private final ServerSocketChannel listener;
    private final Thread thread;
    private final Semaphore ended = new Semaphore(0);
    private volatile Script script = new Script(Fault.PIECES, Integer.MAX_VALUE, 0, Dialect.DEFAULT);
    private volatile @Nullable SocketChannel client;
    private volatile boolean faulty;
    private volatile int answered;
    private volatile BiConsumer<Command, ByteBuffer> observer = (_, _) -> {};
    private final Runnable whileSilent;

    FakeServer() throws IOException {
        this(Thread::onSpinWait);
    }

    /** A server that does something again and again while it is silent, such as to let time pass. */
    FakeServer(Runnable whileSilent) throws IOException {
        this.whileSilent = whileSilent;
        folder = Files.createTempDirectory("rpc");
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(folder.resolve("s")));
        thread = Thread.ofPlatform().daemon().name("fake-server").start(this::accept);
    }

    /** A channel to the server, which serves it by that script. */
    SocketChannel connect(Script newScript) throws IOException {
        script = newScript;
        faulty = false;
        answered = 0;
        return SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("s")));
    }

    /** Has something see every request before it is answered. */
    void observe(BiConsumer<Command, ByteBuffer> newObserver) {
        observer = newObserver;
    }

    /** How many replies the last client got, or should have. */
    int answered() {
        return answered;
    }

    /** Waits until the client has closed its end; whether there was a fault. */
    boolean awaitEnd() {
        ended.acquireUninterruptibly();
        return faulty;
    }

    private void accept() {
        while (true) {
            try (SocketChannel accepted = listener.accept()) {
                client = accepted;
                try {
                    new Conversation(accepted, script).serve();
                } catch (IOException e) {
                    // the client has closed its end with something left to read
                }
                ended.release();
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        SocketChannel left = client;
        if (left != null) {
            left.close();
        }
        Files.deleteIfExists(folder.resolve("s"));
        Files.deleteIfExists(folder);
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** One client. */
    private final class Conversation {

        private final SocketChannel client;
        private final Script script;
        private final SplittableRandom random;
        private final FakeReplies replies;

        Conversation(SocketChannel client, Script script) {
            this.client = client;
            this.script = script;
            this.random = new SplittableRandom(script.seed);
            this.replies = new FakeReplies(script.dialect);
        }

        void serve() throws IOException {
            ByteBuffer header = little(Command.HEADER_BYTES);
            while (fill(header.clear())) {
                Command command = Objects.requireNonNull(Command.ofNumber(header.get(0)));
                ByteBuffer request = little((int) header.getLong(1));
                fill(request);
                observer.accept(command, request.flip());
                if (command.isAnswered(script.dialect) && !answer(reply(command, request))) {
                    client.shutdownOutput();
                    while (client.read(header.clear()) >= 0) {
                        Thread.onSpinWait();
                    }
                    return;
                }
            }
        }

        private boolean fill(ByteBuffer target) throws IOException {
            while (target.hasRemaining()) {
                if (client.read(target) < 0) {
                    return false;
                }
            }
            return true;
        }

        private ByteBuffer reply(Command command, ByteBuffer request) {
            byte[] given = script.answers.get(command);
            return given == null ? replies.to(command, request) : ByteBuffer.wrap(given);
        }

        /** Answers; false if it was the last time. */
        private boolean answer(ByteBuffer payload) throws IOException {
            int number = answered;
            answered = number + 1;
            ByteBuffer message = framed(payload.remaining(), payload);
            if (number < script.at) {
                return send(message, message.remaining());
            }
            boolean first = number == script.at;
            faulty = true;
            return switch (script.fault) {
                case CUT -> !send(message.limit(random.nextInt(message.limit())), Integer.MAX_VALUE);
                case PIECES -> send(message, first ? 1 + random.nextInt(3) : message.limit());
                case BIT -> send(first ? flipped(message) : message, 1 << 20);
                case GARBAGE -> send(first ? framed(payload.limit(), garbage(payload.limit())) : message, 1 << 20);
                case LENGTH -> !send(wrongLength(payload), Integer.MAX_VALUE);
                case SILENCE -> silence();
            };
        }

        private boolean silence() throws IOException {
            ByteBuffer rest = little(64);
            client.configureBlocking(false);
            while (client.read(rest.clear()) >= 0) {
                whileSilent.run();
            }
            client.configureBlocking(true);
            return false;
        }

        private ByteBuffer wrongLength(ByteBuffer payload) {
            long right = payload.remaining();
            long wrong = switch (random.nextInt(4)) {
                case 0 -> right + 1 + random.nextInt(64);
                case 1 -> right == 0 ? 1 : random.nextLong(right);
                case 2 -> -1 - random.nextInt(64);
                default -> random.nextLong();
            };
            return framed(wrong == right ? right + 1 : wrong, garbage(random.nextInt(128)));
        }

        private ByteBuffer flipped(ByteBuffer message) {
            int bit = random.nextInt(8 * message.limit());
            return message.put(bit / 8, (byte) (message.get(bit / 8) ^ 1 << bit % 8));
        }

        private ByteBuffer garbage(int length) {
            byte[] bytes = new byte[length];
            switch (random.nextInt(4)) {
                case 0 -> Arrays.fill(bytes, (byte) random.nextInt());
                case 1 -> Arrays.fill(bytes, (byte) -random.nextInt(2));
                case 2 -> {
                    for (int at = 0; at < length; at += 8) {
                        bytes[at] = (byte) random.nextInt();
                    }
                }
                default -> random.nextBytes(bytes);
            }
            return ByteBuffer.wrap(bytes);
        }

        private boolean send(ByteBuffer message, int pieceBytes) throws IOException {
            int end = message.limit();
            while (message.position() < end) {
                message.limit((int) Math.min(end, (long) message.position() + pieceBytes));
                client.write(message);
            }
            return true;
        }

        private static ByteBuffer framed(long size, ByteBuffer payload) {
            return little(Long.BYTES + payload.remaining())
                    .putLong(size)
                    .put(payload.duplicate())
                    .flip();
        }

        private static ByteBuffer little(int bytes) {
            return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }
    }
}
