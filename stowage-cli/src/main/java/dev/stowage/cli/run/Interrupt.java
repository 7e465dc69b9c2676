package dev.stowage.cli.run;

import dev.stowage.cli.text.CtrlC;

/**
 * What Ctrl-C does in a conversation: it stops an answer, and not the program. Where nothing is being answered, the first
 * one says how to end, and a second one ends.
 */
final class Interrupt {

    private final Runnable hint;
    private final Runnable end;
    private boolean answering;
    private boolean raised;
    private boolean warned;

    Interrupt(Runnable hint, Runnable end) {
        this.hint = hint;
        this.end = end;
    }

    /** Has Ctrl-C come here from now on. */
    void install() {
        CtrlC.handle(this::raise);
    }

    /** Ctrl-C was pressed. */
    void raise() {
        synchronized (this) {
            if (answering) {
                raised = true;
                return;
            }
            if (!warned) {
                warned = true;
                hint.run();
                return;
            }
        }
        end.run();
    }

    /** An answer is being given from now on, or no longer. */
    synchronized void answering(boolean now) {
        answering = now;
        raised = false;
        warned = false;
    }

    /** Whether the answer is to stop. */
    synchronized boolean isRaised() {
        return raised;
    }
}
