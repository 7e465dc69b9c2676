package dev.stowage.cli.text;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;

/**
 * Whether everything that a command has printed has arrived. Print streams and print writers keep failures to themselves, so
 * that what is lost on a full disk would look like success.
 */
public final class LostOutput {

    /** The exit code of a program whose reader has ended, as of those that SIGPIPE ends: 128 and the number of the signal. */
    public static final int READER_ENDED = 141;

    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/1");

    private LostOutput() {}

    /** Whether output of a command is lost; what is still buffered is written first. */
    public static boolean isLost(CommandLine command) {
        // A writer that picocli makes writes to the stream of the process, which does not report failures to it.
        boolean written = !command.getOut().checkError();
        return System.out.checkError() || !written;
    }

    /**
     * Whether the reader of the output has ended, as {@code head} does after some lines. A pipe fails for no other reason, and
     * whoever built it knows, so nothing needs to be said.
     */
    public static boolean isReaderGone() {
        if (!System.out.checkError()) {
            return false;
        }
        try {
            String target = Files.readSymbolicLink(DESCRIPTOR).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }
}
