package dev.stowage.cuda.driver;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Passes calls on to a driver, counts them, and has one fail on purpose. After an error that makes a context unusable every
 * call fails until the context is released. Calls that wait, give something back or end a capture are made before they fail, as
 * they are by the driver, which reports errors of earlier work with them; otherwise memory would be lost that nobody can give
 * back any more.
 */
public final class FaultyDriver implements InvocationHandler {

    private static final String NEW_CONTEXT = "primaryContextRetain";
    private static final String RELEASE_OF_CONTEXT = "primaryContextRelease";

    private final Driver inner;
    private final Driver driver;
    private long calls;
    private long failing = -1;
    private int code;
    private int sticky;
    private String failed = "";

    /** Passes on to that driver. */
    public FaultyDriver(Driver inner) {
        this.inner = inner;
        this.driver =
                (Driver) Proxy.newProxyInstance(Driver.class.getClassLoader(), new Class<?>[] {Driver.class}, this);
    }

    /** The driver whose calls are counted. */
    public Driver driver() {
        return driver;
    }

    /** How many calls there were. */
    public synchronized long calls() {
        return calls;
    }

    /** Has the call of that number fail with an error. */
    public synchronized void fail(long call, int errorCode) {
        failing = call;
        code = errorCode;
        failed = "";
    }

    /** Has no further call fail; returns the function that failed, or an empty text. */
    public synchronized String disarm() {
        failing = -1;
        return failed;
    }

    /** The error that this call is to fail with, or 0. */
    private synchronized int next(String function) {
        long number = calls++;
        int broken = sticky;
        boolean endsIt = function.equals(NEW_CONTEXT) || function.equals(RELEASE_OF_CONTEXT);
        if (endsIt) {
            sticky = CudaErrors.SUCCESS;
        }
        if (broken != CudaErrors.SUCCESS && !function.equals(NEW_CONTEXT)) {
            return broken;
        }
        if (number != failing) {
            return CudaErrors.SUCCESS;
        }
        failing = -1;
        failed = function;
        if (CudaErrors.isSticky(code) && !endsIt) {
            sticky = code;
        }
        return code;
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(method, arguments);
        }
        String function = method.getName();
        int error = next(function);
        if (error == CudaErrors.SUCCESS || isMadeNevertheless(function)) {
            try {
                Object result = method.invoke(inner, arguments);
                if (error == CudaErrors.SUCCESS) {
                    return result;
                }
                if (result instanceof Driver.CapturedGraph graph && arguments[0] instanceof Driver.Context context) {
                    inner.graphDestroy(context, graph);
                }
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
        throw new CudaException(
                "cu" + function.substring(0, 1).toUpperCase(Locale.ROOT) + function.substring(1),
                error,
                "CUDA_ERROR_" + error + " (injected)");
    }

    private static boolean isMadeNevertheless(String function) {
        return switch (function) {
            case RELEASE_OF_CONTEXT,
                    "memFree",
                    "memFreeHost",
                    "streamDestroy",
                    "eventDestroy",
                    "moduleUnload",
                    "graphExecDestroy",
                    "graphDestroy",
                    "streamEndCapture",
                    "streamSynchronize",
                    "eventSynchronize" -> true;
            default -> false;
        };
    }

    private Object ofObject(Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> isOwn(arguments[0]);
            case "hashCode" -> System.identityHashCode(this);
            default -> inner + ", with faults";
        };
    }

    private boolean isOwn(@Nullable Object other) {
        return other != null
                && Proxy.isProxyClass(other.getClass())
                && Proxy.getInvocationHandler(other).equals(this);
    }
}
