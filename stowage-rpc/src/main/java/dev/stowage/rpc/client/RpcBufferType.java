package dev.stowage.rpc.client;

import dev.stowage.error.AllocationException;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** Memory of a device of a server; its rules are the server's, asked for once. */
final class RpcBufferType implements BufferType {

    /** What the size of a tensor depends on; the memory that a backend works in is a matter of the operands too. */
    private record SizeKey(Op op, Layout layout, List<Layout> sources) {

        static boolean hasScratch(Op op) {
            return op == Op.FLASH_ATTN_EXT || op == Op.MUL_MAT_ID;
        }

        static SizeKey of(Tensor tensor) {
            if (!hasScratch(tensor.op())) {
                return new SizeKey(Op.NONE, tensor.layout(), List.of());
            }
            List<Layout> sources = new ArrayList<>();
            for (int slot = 0; slot < tensor.sourceCount(); slot++) {
                if (tensor.hasSource(slot)) {
                    sources.add(tensor.source(slot).layout());
                }
            }
            return new SizeKey(tensor.op(), tensor.layout(), sources);
        }
    }

    private final RpcDevice device;
    private final Connection connection;
    private final int number;
    private final long alignment;
    private final long mostBytes;
    private final Map<SizeKey, Long> sizes = new ConcurrentHashMap<>();

    RpcBufferType(RpcDevice device, Connection connection, int number) {
        this.device = device;
        this.connection = connection;
        this.number = number;
        this.alignment = connection.inquiries().alignment(number);
        this.mostBytes = connection.inquiries().mostBytes(number);
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public long alignment() {
        return alignment;
    }

    @Override
    public long maxBufferSize() {
        return mostBytes;
    }

    /** The bytes of the tensor, unless backends may need more of that kind: then the server is asked, once for each. */
    @Override
    public long allocationSize(Tensor tensor) {
        if (!isAsked(tensor)) {
            return tensor.byteSize();
        }
        SizeKey key = SizeKey.of(tensor);
        Long known = sizes.get(key);
        if (known == null) {
            fetchAllocationSizes(List.of(tensor));
            known = sizes.get(key);
        }
        return Objects.requireNonNull(known);
    }

    private static boolean isAsked(Tensor tensor) {
        return RpcBuffer.needsPadding(tensor) || SizeKey.hasScratch(tensor.op());
    }

    @Override
    public boolean hasBulkCalls() {
        return true;
    }

    /** Asks for all sizes that are not known, and waits once. */
    @Override
    public void fetchAllocationSizes(List<Tensor> tensors) {
        Map<SizeKey, Tensor> unknown = new LinkedHashMap<>();
        for (Tensor tensor : tensors) {
            if (isAsked(tensor) && !sizes.containsKey(SizeKey.of(tensor))) {
                unknown.putIfAbsent(SizeKey.of(tensor), tensor);
            }
        }
        if (unknown.isEmpty()) {
            return;
        }
        long[] replies = new long[unknown.size()];
        int asked = 0;
        for (Tensor tensor : unknown.values()) {
            askSize(tensor, MemorySegment.ofArray(replies).asSlice((long) asked++ * Long.BYTES, Long.BYTES));
        }
        connection.settle();
        int answered = 0;
        for (Map.Entry<SizeKey, Tensor> each : unknown.entrySet()) {
            sizes.put(each.getKey(), connection.inquiries().requireSize(each.getValue(), replies[answered++]));
        }
    }

    private void askSize(Tensor tensor, MemorySegment reply) {
        connection.fetch(
                Command.GET_ALLOC_SIZE,
                Integer.BYTES + (1 + WireTensor.SOURCES) * WireTensor.BYTES,
                out -> {
                    out.putInt(number);
                    describe(TensorWriter.add(out), tensor);
                    for (int slot = 0; slot < WireTensor.SOURCES; slot++) {
                        WireTensor source = TensorWriter.add(out);
                        if (tensor.hasSource(slot)) {
                            describe(source, tensor.source(slot));
                        }
                    }
                },
                reply);
    }

    private void describe(WireTensor wire, Tensor tensor) {
        TensorWriter.layout(wire, tensor.layout());
        wire.id(tensor.serial() + 1);
        if (connection.dialect().knows(tensor.op())) {
            wire.op(connection.dialect().number(tensor.op()));
        }
    }

    @Override
    public Buffer allocate(long size) {
        if (size < 0 || size > mostBytes) {
            throw refused(size, "one buffer has at most " + mostBytes);
        }
        return new RpcBuffer(this, size, connection);
    }

    /** Takes memory of the server, at least one byte. */
    Inquiries.Allocated take(long size) {
        return connection
                .inquiries()
                .allocate(number, size, alignment)
                .orElseThrow(() -> refused(
                        size, "the server refuses it; it has " + device.memory().free() + " bytes free"));
    }

    private AllocationException refused(long size, String why) {
        return new AllocationException(
                "no " + size + " bytes on " + device.name() + " (" + connection.endpoint() + "): " + why,
                name(),
                size,
                device.memory().free());
    }

    @Override
    public String toString() {
        return name();
    }
}
