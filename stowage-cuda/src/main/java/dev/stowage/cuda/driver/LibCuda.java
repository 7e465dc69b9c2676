package dev.stowage.cuda.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The CUDA driver of this machine, through {@link CudaFunctions}: devices and their contexts here, the rest by subject in the
 * classes it extends.
 */
public final class LibCuda extends LaunchCalls {

    private static final int NAME_BYTES = 256;

    private LibCuda() {}

    /**
     * The driver, initialized.
     *
     * @throws CudaException if it refuses
     * @throws LinkageError if its library or a function of it is missing
     * @throws IllegalCallerException if this JVM does not let this module call native code
     */
    public static LibCuda open() {
        LibCuda driver = new LibCuda();
        NativeCall.check("cuInit", () -> (int) CudaFunctions.INIT.invokeExact(0));
        return driver;
    }

    @Override
    public int driverVersion() {
        return (int) NativeCall.ask("cuDriverGetVersion", r -> (int) CudaFunctions.DRIVER_GET_VERSION.invokeExact(r));
    }

    @Override
    public int deviceCount() {
        return (int) NativeCall.ask("cuDeviceGetCount", r -> (int) CudaFunctions.DEVICE_GET_COUNT.invokeExact(r));
    }

    @Override
    public String deviceName(int device) {
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment name = scope.allocate(NAME_BYTES);
            NativeCall.check(
                    "cuDeviceGetName", () -> (int) CudaFunctions.DEVICE_GET_NAME.invokeExact(name, NAME_BYTES, device));
            return name.getString(0);
        }
    }

    @Override
    public int deviceAttribute(int device, int attribute) {
        return (int) NativeCall.ask("cuDeviceGetAttribute", r ->
                (int) CudaFunctions.DEVICE_GET_ATTRIBUTE.invokeExact(r, attribute, device));
    }

    @Override
    public String devicePciBusId(int device) {
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment name = scope.allocate(NAME_BYTES);
            NativeCall.check("cuDeviceGetPCIBusId", () ->
                    (int) CudaFunctions.DEVICE_GET_PCI_BUS_ID.invokeExact(name, NAME_BYTES, device));
            return name.getString(0);
        }
    }

    @Override
    public boolean deviceCanAccessPeer(int device, int peer) {
        return (int) NativeCall.ask("cuDeviceCanAccessPeer", r ->
                        (int) CudaFunctions.DEVICE_CAN_ACCESS_PEER.invokeExact(r, device, peer))
                != 0;
    }

    @Override
    public Context primaryContextRetain(int device) {
        return new Context(NativeCall.ask(
                "cuDevicePrimaryCtxRetain", r -> (int) CudaFunctions.PRIMARY_CTX_RETAIN.invokeExact(r, device)));
    }

    @Override
    public void primaryContextRelease(int device) {
        NativeCall.check(
                "cuDevicePrimaryCtxRelease", () -> (int) CudaFunctions.PRIMARY_CTX_RELEASE.invokeExact(device));
    }

    @Override
    public void ctxEnablePeerAccess(Context context, Context peer) {
        NativeCall.enter(context);
        NativeCall.check("cuCtxEnablePeerAccess", () -> {
            int code = (int) CudaFunctions.CTX_ENABLE_PEER_ACCESS.invokeExact(peer.handle(), 0);
            return code == CudaErrors.PEER_ACCESS_ALREADY_ENABLED ? CudaErrors.SUCCESS : code;
        });
    }
}
