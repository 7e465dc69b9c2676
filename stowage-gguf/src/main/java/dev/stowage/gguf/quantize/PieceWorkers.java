package dev.stowage.gguf.quantize;

import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.internal.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Threads that take one piece after the other until none is left, or one of them fails. */
final class PieceWorkers {

    private final GgufFile source;
    private final GgufWriter target;
    private final Consumer<QuantizeProgress> progress;
    private final long totalBytes;
    private final AtomicInteger next = new AtomicInteger();
    private final Object lock = new Object();

    /** Guarded by the lock. */
    private long doneBytes;

    private volatile @Nullable Throwable failure;

    PieceWorkers(GgufFile source, GgufWriter target, Consumer<QuantizeProgress> progress, long totalBytes) {
        this.source = source;
        this.target = target;
        this.progress = progress;
        this.totalBytes = totalBytes;
    }

    /** Does all pieces; if one fails, the first failure is thrown once all threads have stopped. */
    void work(List<Piece> pieces, int threads) {
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < Math.min(threads, pieces.size()); i++) {
            workers.add(Thread.ofPlatform().daemon().name("quantize-" + i).start(() -> take(pieces)));
        }
        // Even if this thread is interrupted: the files are in use while they run.
        workers.forEach(Threads::join);
        switch (failure) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }

    private void take(List<Piece> pieces) {
        try (PieceWork work = new PieceWork(source, target)) {
            for (int i = next.getAndIncrement(); i < pieces.size() && failure == null; i = next.getAndIncrement()) {
                Piece piece = pieces.get(i);
                long bytes = work.convert(piece.tensor(), piece.type(), piece.first());
                synchronized (lock) {
                    doneBytes += bytes;
                    progress.accept(new QuantizeProgress(piece.tensor().name(), doneBytes, totalBytes));
                }
            }
        } catch (RuntimeException | Error e) {
            synchronized (lock) {
                failure = failure == null ? e : failure;
            }
        }
    }
}
