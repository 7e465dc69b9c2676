package dev.stowage.packing.search;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Starts the second thread of a packer. It works for its caller only and never outlives the call. */
final class HelperThread {

    private HelperThread() {}

    static <T> CompletableFuture<T> start(Supplier<T> work) {
        return CompletableFuture.supplyAsync(
                work,
                task -> Thread.ofPlatform().daemon().name("stowage-packing").start(task));
    }
}
