package dev.stowage.cli.run;

import dev.stowage.llm.Generation;
import dev.stowage.llm.TokenListener;
import java.io.PrintWriter;

/**
 * Prints text as it is generated. The blank between a prompt and what follows it is left out, as the
 * prompt is not printed; and generation stops once the reader has closed the pipe.
 */
final class TokenPrinter implements TokenListener {

    private final PrintWriter out;
    private int heard;

    /** Read by the threads of devices too. */
    private volatile boolean begun;

    private long firstNanos;
    private Runnable beforeText = () -> {};

    TokenPrinter(PrintWriter out) {
        this.out = out;
    }

    /** Has something done before the next text begins. */
    void before(Runnable action) {
        beforeText = action;
    }

    @Override
    public void token(int token, String text) {
        if (firstNanos == 0) {
            firstNanos = System.nanoTime();
        }
        if (heard == 0) {
            beforeText.run();
        }
        heard += text.length();
        print(text);
    }

    private void print(String text) {
        if (!text.isEmpty()) {
            out.print(!begun && text.startsWith(" ") ? text.substring(1) : text);
            out.flush();
            begun = true;
        }
    }

    /** Ends the line after a text, and is ready for another; bytes that never became a character are shown now. */
    void end(Generation text) {
        print(text.text().substring(heard));
        end();
    }

    /** Ends the current line. */
    void end() {
        out.println();
        out.flush();
        heard = 0;
        begun = false;
    }

    /** Whether there is something of the text. */
    boolean hasBegun() {
        return begun;
    }

    /** Whether the reader has closed the output. */
    boolean isClosed() {
        // The standard output of a process keeps its failures to itself, unless it is asked.
        return out.checkError() || System.out.checkError();
    }

    /** When the first token of all came, by {@link System#nanoTime()}; 0 while there was none. */
    long firstNanos() {
        return firstNanos;
    }
}
