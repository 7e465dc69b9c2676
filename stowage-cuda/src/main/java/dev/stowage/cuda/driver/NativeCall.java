package dev.stowage.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.cuda.driver.Driver.Context;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** How functions of the driver are called: results checked, errors named. */
@SuppressWarnings("restricted") // texts of the driver are C strings
final class NativeCall {

    private static final int NAME_BYTES = 256;

    private NativeCall() {}

    /** A call that is not made often. */
    @FunctionalInterface
    interface Call {
        int run() throws Throwable;
    }

    /** A call that writes one result into memory. */
    @FunctionalInterface
    interface Query {
        int run(MemorySegment result) throws Throwable;
    }

    static void check(String function, Call call) {
        try {
            require(function, call.run());
        } catch (Throwable e) {
            throw rethrow(function, e);
        }
    }

    static long ask(String function, Query call) {
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment result = scope.allocate(JAVA_LONG);
            require(function, call.run(result));
            return result.get(JAVA_LONG, 0);
        } catch (Throwable e) {
            throw rethrow(function, e);
        }
    }

    static void require(String function, int code) {
        if (code != CudaErrors.SUCCESS) {
            throw failure(function, code);
        }
    }

    static CudaException failure(String function, int code) {
        String advice = CudaErrors.advice(code);
        String text = text(true, code) + " (" + text(false, code) + ")" + (advice.isEmpty() ? "" : ": " + advice);
        return new CudaException(function, code, text);
    }

    static String text(boolean isName, int code) {
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment result = scope.allocate(ADDRESS);
            int known = isName
                    ? (int) CudaFunctions.GET_ERROR_NAME.invokeExact(code, result)
                    : (int) CudaFunctions.GET_ERROR_STRING.invokeExact(code, result);
            return known == CudaErrors.SUCCESS
                    ? result.get(ADDRESS, 0).reinterpret(NAME_BYTES).getString(0)
                    : "error " + code;
        } catch (Throwable e) {
            throw rethrow("cuGetErrorName", e);
        }
    }

    static RuntimeException rethrow(String function, Throwable e) {
        return switch (e) {
            case RuntimeException runtime -> runtime;
            case Error error -> throw error;
            default -> new IllegalStateException(function, e);
        };
    }

    /** Contexts are current by thread. */
    static void enter(Context context) {
        try {
            require("cuCtxSetCurrent", (int) CudaFunctions.CTX_SET_CURRENT.invokeExact(context.handle()));
        } catch (Throwable e) {
            throw rethrow("cuCtxSetCurrent", e);
        }
    }
}
