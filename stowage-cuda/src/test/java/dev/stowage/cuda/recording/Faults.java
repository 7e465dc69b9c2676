package dev.stowage.cuda.recording;

import dev.stowage.cuda.driver.CudaErrors;
import dev.stowage.cuda.driver.CudaException;
import java.util.ArrayList;
import java.util.List;

/** Which calls of a driver fail, and the calls there were. */
final class Faults {

    private final List<String> calls = new ArrayList<>();
    private int failingCall = -1;
    private String failingFunction = "";
    private int skipped;
    private int code;
    private int sticky;
    private boolean injected;

    /** Counts a call, and throws if it is to fail. Releasing resources of a broken context fails too. */
    void call(String function) {
        int number = calls.size();
        calls.add(function);
        if (sticky != 0) {
            throw failure(function, sticky);
        }
        boolean fails = number == failingCall;
        if (function.equals(failingFunction)) {
            fails = skipped-- == 0;
        }
        if (fails) {
            injected = true;
            failingCall = -1;
            failingFunction = "";
            fail(code);
            throw failure(function, code);
        }
    }

    private static CudaException failure(String function, int code) {
        return new CudaException(function, code, "CUDA_ERROR_" + code + " (injected)");
    }

    /** Every later call fails, if that is what the error is like. */
    void fail(int errorCode) {
        if (CudaErrors.isSticky(errorCode)) {
            sticky = errorCode;
        }
    }

    int stickyError() {
        return sticky;
    }

    /** A new context works. */
    void recover() {
        sticky = 0;
    }

    void failCall(int number, int errorCode) {
        failingCall = number;
        code = errorCode;
    }

    void failFunction(String function, int skip, int errorCode) {
        failingFunction = function;
        skipped = skip;
        code = errorCode;
    }

    /** Whether a call has failed on purpose. */
    boolean hasInjected() {
        return injected;
    }

    List<String> calls() {
        return List.copyOf(calls);
    }
}
