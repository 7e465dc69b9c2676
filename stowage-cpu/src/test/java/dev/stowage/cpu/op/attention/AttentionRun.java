package dev.stowage.cpu.op.attention;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One attention over random numbers, with keys and values in a cache whose rows hold all heads of a cell, as models keep
 * them; to be run on any device.
 */
final class AttentionRun {

    ElementType keyType = ElementType.F16;
    ElementType valueType = ElementType.F16;
    int keySize = 64;
    int valueSize = 64;
    int queries = 1;
    int cells = 32;
    int heads = 4;
    int keyHeads = 2;
    int valueHeads = 2;
    int batches = 1;
    float scale = 0.125f;
    float maxBias;
    float cap;
    boolean sunk;
    Mask mask = Mask.NONE;
    int maskHeads = 1;
    int maskBatches = 1;
    float special = Float.NaN;
    Specials specials = Specials.NONE;
    long seed = 1;

    enum Mask {
        NONE,
        /** The last queries of a sequence. */
        CAUSAL,
        /** Each key is seen or not, by chance, and with some bias. */
        RANDOM,
        /** Some queries see nothing. */
        CLOSED_ROWS,
        /** Only cells far after the first are visible. */
        WINDOW
    }

    enum Specials {
        NONE,
        /** A special number in keys and values of cells that the mask hides. */
        HIDDEN,
        /** A special number in a value that is seen. */
        SEEN_VALUE,
        /** A special number in a key that is seen. */
        SEEN_KEY
    }

    /** The elements of the result. */
    float[] on(String device, int threads) {
        GraphBuilder b = new GraphBuilder();
        Random random = new Random(seed);
        Tensor q = b.input("q", ElementType.F32, keySize, heads, queries, batches);
        Tensor k = b.input("k", keyType, keySize, keyHeads, cells, batches);
        Tensor v = b.input("v", valueType, valueSize, valueHeads, cells, batches);
        Tensor m = mask == Mask.NONE ? null : b.input("m", ElementType.F16, cells, queries, maskHeads, maskBatches);
        Tensor s = sunk ? b.input("s", ElementType.F32, heads) : null;
        Tensor result = b.flashAttention(
                b.permute(q, 0, 2, 1, 3),
                b.permute(k, 0, 2, 1, 3),
                b.permute(v, 0, 2, 1, 3),
                m,
                s,
                new OpParameters.FlashAttention(scale, maxBias, cap, Precision.DEFAULT));
        Graph graph = b.build(result);
        List<Tensor> tensors = new ArrayList<>(graph.leaves());
        tensors.addAll(graph.nodes());
        Device found = DeviceRegistry.load().device(device);
        try (Buffer _ = Allocations.allocateAll(tensors, found.bufferType());
                Backend backend = found.open(BackendOptions.defaults().withThreads(threads))) {
            set(q, numbers(random, q));
            byte[] keys = numbers(random, k);
            byte[] values = numbers(random, v);
            putSpecials(k, keys, v, values);
            set(k, keys);
            set(v, values);
            if (m != null) {
                set(m, masks(random));
            }
            if (s != null) {
                set(s, numbers(random, s));
            }
            backend.compute(graph);
            byte[] bytes = new byte[Math.toIntExact(result.byteSize())];
            Buffer.of(result).get(result, 0, MemorySegment.ofArray(bytes));
            float[] floats = new float[bytes.length / 4];
            little(bytes).asFloatBuffer().get(floats);
            return floats;
        }
    }

    private static void set(Tensor tensor, byte[] bytes) {
        Buffer.of(tensor).set(tensor, 0, MemorySegment.ofArray(bytes));
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] numbers(Random random, Tensor tensor) {
        byte[] bytes = new byte[Math.toIntExact(tensor.byteSize())];
        ByteBuffer buffer = little(bytes);
        int step = tensor.type().bytesPerBlock();
        if (tensor.type().isQuantized()) {
            random.nextBytes(bytes);
        }
        for (int at = 0; at < bytes.length; at += step) {
            float value = (float) random.nextGaussian();
            switch (tensor.type()) {
                case F32 -> buffer.putFloat(at, value);
                case F16 -> buffer.putShort(at, Float.floatToFloat16(value));
                case BF16 -> buffer.putShort(at, (short) (Float.floatToRawIntBits(value) >>> 16));
                default -> buffer.putShort(at, Float.floatToFloat16(tensor.type() == ElementType.Q8_0 ? 0.01f : 0.1f));
            }
        }
        return bytes;
    }

    private void putSpecials(Tensor k, byte[] keys, Tensor v, byte[] values) {
        // The last cell is hidden from all queries where specials are to be.
        long hidden = (cells - 1L) * keyHeads * keySize;
        switch (specials) {
            case NONE -> {}
            case HIDDEN -> {
                put(k, keys, hidden);
                put(v, values, (cells - 1L) * valueHeads * valueSize + 3);
            }
            case SEEN_VALUE -> put(v, values, 3);
            case SEEN_KEY -> put(k, keys, 3);
        }
    }

    private void put(Tensor tensor, byte[] bytes, long element) {
        int at = Math.toIntExact(element * tensor.type().bytesPerBlock());
        if (tensor.type() == ElementType.F32) {
            little(bytes).putFloat(at, special);
        } else {
            little(bytes).putShort(at, Float.floatToFloat16(special));
        }
    }

    private byte[] masks(Random random) {
        byte[] bytes = new byte[cells * queries * maskHeads * maskBatches * 2];
        ByteBuffer buffer = little(bytes);
        int at = 0;
        for (int batch = 0; batch < maskBatches * maskHeads; batch++) {
            for (int query = 0; query < queries; query++) {
                for (int cell = 0; cell < cells; cell++) {
                    float value = isHidden(random, query, cell)
                            ? Float.NEGATIVE_INFINITY
                            : mask == Mask.RANDOM ? -random.nextInt(8) / 4f : 0;
                    buffer.putShort(at, Float.floatToFloat16(value));
                    at += 2;
                }
            }
        }
        return bytes;
    }

    private boolean isHidden(Random random, int query, int cell) {
        if (specials == Specials.HIDDEN && cell == cells - 1) {
            return true;
        }
        return switch (mask) {
            case NONE -> false;
            case CAUSAL -> cell > Math.max(0, cells - queries) + query;
            case RANDOM -> random.nextInt(3) == 0;
            case CLOSED_ROWS -> query % 3 == 1 || cell % 2 == 0;
            case WINDOW -> cell < cells * 3 / 4 || cell % 7 == query % 7;
        };
    }

    @Override
    public String toString() {
        return "%s/%s %d/%d, %d queries, %d cells, heads %d/%d/%d, %d batches, bias %s, cap %s, sinks %s, %s, seed %d"
                .formatted(
                        keyType,
                        valueType,
                        keySize,
                        valueSize,
                        queries,
                        cells,
                        heads,
                        keyHeads,
                        valueHeads,
                        batches,
                        maxBias,
                        cap,
                        sunk,
                        mask,
                        seed);
    }
}
