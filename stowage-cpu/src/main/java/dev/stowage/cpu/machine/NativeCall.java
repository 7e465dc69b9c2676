package dev.stowage.cpu.machine;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Calls code at an address with six numbers, which it has in RDI, RSI, RDX, RCX, R8 and R9; the result is what it leaves in
 * RAX. One signature serves everything, functions of the C library too, since linking one takes milliseconds. The handle is a
 * constant, so that a call costs some ten nanoseconds.
 *
 * <p>A call keeps the JVM from stopping its threads until it returns, so code must be short: some hundred microseconds.
 */
final class NativeCall {

    private static final MethodHandle CALL = link();

    private NativeCall() {}

    @SuppressWarnings("restricted") // what is called is either of the C library or code of this package
    private static MethodHandle link() {
        ValueLayout.OfLong number = ValueLayout.JAVA_LONG;
        FunctionDescriptor sixNumbers = FunctionDescriptor.of(number, number, number, number, number, number, number);
        return Linker.nativeLinker().downcallHandle(sixNumbers, Linker.Option.critical(false));
    }

    static long call(MemorySegment code, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) CALL.invokeExact(code, a, b, c, d, e, f);
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IllegalStateException("code at " + code.address() + " could not be called", failure);
        }
    }

    /** A function of the C library. */
    static MemorySegment function(String name) {
        return Linker.nativeLinker()
                .defaultLookup()
                .find(name)
                .orElseThrow(() -> new UnsupportedOperationException("the C library has no " + name));
    }
}
