package dev.stowage.packing.search;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Starts the second thread of a packer, which ends before the call does. */
final class HelperThread {

    private HelperThread() {}

    static <T> CompletableFuture<T> start(Supplier<T> work) {
        return CompletableFuture.supplyAsync(
                work,
                task -> Thread.ofPlatform().daemon().name("stowage-packing").start(task));
    }
}
