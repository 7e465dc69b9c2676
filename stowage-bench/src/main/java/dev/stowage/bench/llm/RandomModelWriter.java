package dev.stowage.bench.llm;

import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.internal.Threads;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Fills the tensors of a file with numbers, piece by piece and with several threads. What goes into a piece follows from
 * the seed, the tensor's name and the number of the piece, so that neither threads nor types change the numbers. They
 * are rounded to f16 first: a quantised file is what quantising the f16 file gives.
 */
final class RandomModelWriter {

    /** How many elements a piece has, a multiple of all block sizes. */
    private static final int PIECE = 1 << 18;

    private static final long MOST_BYTES = (long) PIECE * Double.BYTES;

    private record Piece(TensorSpec spec, RandomTensor tensor, int number) {

        long first() {
            return (long) number * PIECE;
        }

        int count() {
            return (int) Math.min(PIECE, spec.shape().elements() - first());
        }
    }

    private final GgufWriter target;
    private final long seed;
    private final LongConsumer progress;
    private final List<Piece> pieces = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final Object lock = new Object();

    /** Guarded by the lock. */
    private long done;

    private volatile @Nullable Throwable failure;

    /**
     * Prepares the filling of a file.
     *
     * @param progress receives how many elements are done, by one thread at a time; what it throws ends the work
     */
    RandomModelWriter(GgufWriter target, long seed, LongConsumer progress) {
        this.target = target;
        this.seed = seed;
        this.progress = progress;
    }

    /** Fills all tensors; if that fails, the first failure is thrown once all threads have stopped. */
    void write(List<TensorSpec> specs, Map<String, RandomTensor> tensors, int threads) {
        for (TensorSpec spec : specs) {
            RandomTensor tensor = tensors.get(spec.name());
            if (tensor == null) {
                throw new IllegalArgumentException("nothing says what goes into " + spec.describe());
            }
            for (int number = 0; (long) number * PIECE < spec.shape().elements(); number++) {
                pieces.add(new Piece(spec, tensor, number));
            }
        }
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < Math.min(threads, pieces.size()); i++) {
            workers.add(Thread.ofPlatform().daemon().name("make-model-" + i).start(this::take));
        }
        // Even if this thread is interrupted: the file is in use while they run.
        workers.forEach(Threads::join);
        switch (failure) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    private void take() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(MOST_BYTES, Long.BYTES);
            float[] numbers = new float[PIECE];
            for (int i = next.getAndIncrement(); i < pieces.size() && failure == null; i = next.getAndIncrement()) {
                Piece piece = pieces.get(i);
                fill(piece, numbers, bytes);
                synchronized (lock) {
                    done += piece.count();
                    progress.accept(done);
                }
            }
        } catch (RuntimeException | Error e) {
            synchronized (lock) {
                failure = failure == null ? e : failure;
            }
        }
    }

    private void fill(Piece piece, float[] numbers, MemorySegment bytes) {
        int count = piece.count();
        ElementType type = piece.spec().type();
        piece.tensor().filling().fill(numbers, count, piece.first(), random(piece));
        if (piece.tensor().spec().type() == ElementType.F16) {
            for (int i = 0; i < count; i++) {
                numbers[i] = Float.float16ToFloat(Float.floatToFloat16(numbers[i]));
            }
        }
        MemorySegment blocks = bytes.asSlice(0, type.rowBytes(count));
        BlockFormat.of(type).quantize(numbers, 0, count, blocks, 0);
        target.write(piece.spec().name(), type.rowBytes(piece.first()), blocks);
    }

    private SplittableRandom random(Piece piece) {
        long ofTensor = new SplittableRandom(seed ^ ((long) piece.spec().name().hashCode() << Integer.SIZE)).nextLong();
        return new SplittableRandom(ofTensor + piece.number());
    }
}
