package dev.stowage.rpc.client;

import dev.stowage.rpc.client.RecordedRequests.Request;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.WireTensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The buffers of a recorded conversation, and those that a fake server gives for the same requests: the same in number. */
final class RecordedMemory {

    private final Map<Long, Long> numbers = new HashMap<>();
    private final Map<Long, Long> bases = new HashMap<>();

    RecordedMemory(List<Request> requests) {
        long allocated = 0;
        for (Request request : requests) {
            if (request.command() == Command.ALLOC_BUFFER) {
                numbers.put(request.reply().getLong(0), ++allocated);
            } else if (request.command() == Command.BUFFER_GET_BASE) {
                bases.put(request.payload().getLong(0), request.reply().getLong(0));
            }
        }
    }

    /** Where a recorded tensor is stored, in words; one without memory is stored nowhere. */
    String recordedPlace(WireTensor tensor) {
        if (tensor.buffer() == 0) {
            return "nowhere";
        }
        long base = Objects.requireNonNull(bases.get(tensor.buffer()));
        return "buffer " + numbers.get(tensor.buffer()) + " at " + (tensor.data() - base);
    }

    /** The same for a tensor that our client has sent. */
    static String place(WireTensor tensor) {
        return tensor.buffer() == 0
                ? "nowhere"
                : "buffer " + tensor.buffer() + " at " + (tensor.data() - (tensor.buffer() << 32));
    }
}
