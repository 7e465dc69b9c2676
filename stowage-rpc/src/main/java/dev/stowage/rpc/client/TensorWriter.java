package dev.stowage.rpc.client;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import java.nio.ByteBuffer;

/** Writes tensors into messages. */
final class TensorWriter {

    private static final byte[] ZEROS = new byte[WireTensor.BYTES];

    private TensorWriter() {}

    /** Adds a tensor with nothing but zeros, to be filled. */
    static WireTensor add(ByteBuffer out) {
        WireTensor tensor = new WireTensor(out, out.position());
        out.put(ZEROS);
        return tensor;
    }

    /** Adds a tensor as a request to read or write names it. */
    static void add(ByteBuffer out, BoundTensor tensor) {
        WireTensor wire = add(out);
        layout(wire, tensor.layout());
        place(wire, tensor.buffer(), tensor.offset());
        wire.id(tensor.tensor().serial() + 1);
    }

    static void layout(WireTensor wire, Layout layout) {
        wire.type(layout.type().code());
        for (int i = 0; i < Shape.RANK; i++) {
            wire.ne(i, (int) layout.shape().dim(i));
            wire.nb(i, (int) layout.strides().stride(i));
        }
    }

    /** The buffer and address of a tensor in memory of the server; nothing for memory elsewhere. */
    static void place(WireTensor wire, Buffer buffer, long offset) {
        if (buffer instanceof RpcBuffer remote) {
            wire.buffer(remote.handle());
            wire.data(remote.base() + offset);
        }
    }
}
