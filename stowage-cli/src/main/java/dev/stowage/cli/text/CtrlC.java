package dev.stowage.cli.text;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Ctrl-C as an event of the program, which does not end it. */
public final class CtrlC {

    /** The exit code of a program that Ctrl-C has ended: 128 and the number of the signal. */
    public static final int EXIT_CODE = 130;

    private CtrlC() {}

    /**
     * Has Ctrl-C run an action from now on, where this Java can do that; else it ends the program, as usual. The classes for
     * it are part of every JDK, but no standard, so that the compiler warns of them however they are named.
     */
    public static void handle(Runnable action) {
        handle("INT", action);
    }

    /** Has the request of the system to end run an action from now on, in the same way. */
    public static void handleTermination(Runnable action) {
        handle("TERM", action);
    }

    private static void handle(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            MethodHandle run = MethodHandles.lookup()
                    .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
                    .bindTo(action);
            Object ours = MethodHandleProxies.asInterfaceInstance(handler, MethodHandles.dropArguments(run, 0, signal));
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
        } catch (ReflectiveOperationException _) {
            // Then it is as with any other program.
        }
    }
}
