package dev.stowage.rpc.server;

import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** A connection whose peer is a script: what it says is asked for when it is read, and what it is sent is kept. */
final class ScriptedChannel extends SocketChannel {

    private static final int MOST_KEPT = 1 << 20;

    private final Supplier<byte[]> script;
    private final IntUnaryOperator piece;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private ByteBuffer said = ByteBuffer.allocate(0);

    /**
     * A connection to a peer.
     *
     * @param script what the peer says next; empty once it has closed the connection
     * @param piece how many bytes pass at once, of those that could
     */
    ScriptedChannel(Supplier<byte[]> script, IntUnaryOperator piece) {
        super(SelectorProvider.provider());
        this.script = script;
        this.piece = piece;
    }

    /** The first bytes that the peer was sent. */
    byte[] received() {
        return received.toByteArray();
    }

    @Override
    public int read(ByteBuffer target) {
        if (!said.hasRemaining()) {
            said = ByteBuffer.wrap(script.get());
            if (!said.hasRemaining()) {
                return -1;
            }
        }
        int count = piece.applyAsInt(Math.min(said.remaining(), target.remaining()));
        target.put(said.slice(said.position(), count));
        said.position(said.position() + count);
        return count;
    }

    @Override
    public int write(ByteBuffer source) {
        int count = source.hasRemaining() ? piece.applyAsInt(source.remaining()) : 0;
        byte[] bytes = new byte[count];
        source.get(bytes);
        if (received.size() < MOST_KEPT) {
            received.write(bytes, 0, count);
        }
        return count;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (sources[i].hasRemaining()) {
                return write(sources[i]);
            }
        }
        return 0;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketChannel bind(SocketAddress local) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) {
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public SocketChannel shutdownInput() {
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() {
        return this;
    }

    @Override
    public Socket socket() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isConnectionPending() {
        return false;
    }

    @Override
    public boolean connect(SocketAddress remote) {
        return true;
    }

    @Override
    public boolean finishConnect() {
        return true;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketAddress getLocalAddress() {
        throw new UnsupportedOperationException();
    }

    @Override
    protected void implCloseSelectableChannel() {}

    @Override
    protected void implConfigureBlocking(boolean block) {}
}
