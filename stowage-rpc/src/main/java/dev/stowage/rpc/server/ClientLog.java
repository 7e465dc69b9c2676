package dev.stowage.rpc.server;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is logged of one client beside the end of its connection. Only the first lines are: a client can cause as many as it
 * likes. One thread at a time.
 */
final class ClientLog {

    private static final int MOST_LINES = 8;

    private final Consumer<String> log;
    private int lines;

    ClientLog(Consumer<String> log) {
        this.log = log;
    }

    void info(@Nullable String message) {
        if (lines < MOST_LINES) {
            lines++;
            log.accept(message + (lines == MOST_LINES ? "; what else this client is refused is not logged" : ""));
        }
    }
}
