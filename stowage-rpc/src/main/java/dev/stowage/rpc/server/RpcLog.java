package dev.stowage.rpc.server;

import org.jspecify.annotations.Nullable;

/** What a server has to say, by the logger {@code dev.stowage.rpc}. */
final class RpcLog {

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.rpc");

    private RpcLog() {}

    static void info(@Nullable String message) {
        LOGGER.log(System.Logger.Level.INFO, message);
    }

    static void warning(@Nullable String message) {
        LOGGER.log(System.Logger.Level.WARNING, message);
    }
}
