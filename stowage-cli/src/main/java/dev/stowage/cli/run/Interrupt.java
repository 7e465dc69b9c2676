package dev.stowage.cli.run;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

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

    /**
     * Has Ctrl-C come here from now on, where this Java can do that; else it ends the program, as usual. The classes for it
     * are part of every JDK, but no standard, so that the compiler warns of them however they are named.
     */
    void install() {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            MethodHandle raise = MethodHandles.lookup().bind(this, "raise", MethodType.methodType(void.class));
            Object ours =
                    MethodHandleProxies.asInterfaceInstance(handler, MethodHandles.dropArguments(raise, 0, signal));
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("INT"), ours);
        } catch (ReflectiveOperationException _) {
            // Then it is as with any other program.
        }
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
