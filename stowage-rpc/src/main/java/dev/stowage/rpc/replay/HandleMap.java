package dev.stowage.rpc.replay;

import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.WireTensor;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/** Which of our handles and addresses stand for those of the recorded server, and requests rewritten with ours. */
final class HandleMap {

    private final Map<Long, Long> handles = new HashMap<>();
    private final Map<Long, Long> recordedBases = new HashMap<>();
    private final Map<Long, Long> bases = new HashMap<>();

    void allocated(long recorded, long ours) {
        handles.put(recorded, ours);
    }

    void base(long recordedHandle, long recorded, long ours) {
        recordedBases.put(recordedHandle, recorded);
        bases.put(recordedHandle, ours);
    }

    /** Replaces the recorded handles and addresses of a request. */
    void rewrite(Command command, ByteBuffer request) {
        switch (command) {
            case BUFFER_GET_BASE, FREE_BUFFER, BUFFER_CLEAR -> {
                long recorded = request.getLong(0);
                request.putLong(0, handles.getOrDefault(recorded, recorded));
            }
            case SET_TENSOR, SET_TENSOR_HASH, GET_TENSOR, INIT_TENSOR, MEMSET_TENSOR -> tensors(request, 0, 1);
            case COPY_TENSOR -> tensors(request, 0, 2);
            case GET_ALLOC_SIZE -> tensors(request, Integer.BYTES, 1 + WireTensor.SOURCES);
            case GRAPH_COMPUTE -> {
                GraphMessage graph = new GraphMessage(request);
                for (int i = 0; i < graph.tensorCount(); i++) {
                    rewrite(graph.tensor(i));
                }
            }
            default -> {}
        }
    }

    private void tensors(ByteBuffer request, int at, int count) {
        for (int i = 0; i < count; i++) {
            rewrite(new WireTensor(request, at + i * WireTensor.BYTES));
        }
    }

    private void rewrite(WireTensor tensor) {
        long recorded = tensor.buffer();
        Long ours = handles.get(recorded);
        if (recorded != 0 && ours != null) {
            tensor.buffer(ours);
            tensor.data(tensor.data() - recordedBases.getOrDefault(recorded, 0L) + bases.getOrDefault(recorded, 0L));
        }
    }
}
