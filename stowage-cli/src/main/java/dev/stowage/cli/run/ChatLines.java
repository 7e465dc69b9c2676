package dev.stowage.cli.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;

/** Where the lines of a conversation come from: a terminal, where they can be edited, or a file or pipe. */
interface ChatLines extends AutoCloseable {

    /** What stands before a line that is typed. */
    String MARKER = "> ";

    /** The next line; empty at the end of the input. */
    Optional<String> next() throws IOException;

    /** Shows a remark while a line is being typed. */
    void remark(String text);

    @Override
    void close();

    /** Lines as they come. */
    static ChatLines plain(BufferedReader in, PrintWriter err) {
        return new ChatLines() {
            @Override
            public Optional<String> next() throws IOException {
                err.print(MARKER);
                err.flush();
                Optional<String> line = Optional.ofNullable(in.readLine());
                if (line.isEmpty()) {
                    err.println();
                }
                return line;
            }

            @Override
            public void remark(String text) {
                err.print(System.lineSeparator() + text + System.lineSeparator() + MARKER);
                err.flush();
            }

            @Override
            public void close() {
                // The input is the caller's.
            }
        };
    }
}
