package dev.stowage.cuda.kernel;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of one device. A module of compiled code is loaded when one of its kernels is first asked for, and stays
 * loaded until this is closed. Thread-safe.
 */
public final class KernelLibrary implements AutoCloseable {

    private final Driver driver;
    private final Driver.Context context;
    private final Architecture architecture;
    private final KernelCatalog catalog = KernelCatalog.standard();
    private final Map<String, Driver.Module> modules = new HashMap<>();
    private final Map<String, Driver.Function> functions = new HashMap<>();
    private final Map<String, Integer> sharedBytes = new HashMap<>();

    /** The kernels for a device of that compute capability, 90 for 9.0. */
    public KernelLibrary(Driver driver, Driver.Context context, int capability) {
        this.driver = driver;
        this.context = context;
        this.architecture = Architecture.of(capability);
    }

    /** The signature of a kernel. */
    public KernelSignature signature(String name) {
        return catalog.get(name);
    }

    /**
     * A kernel, ready to be launched with that much dynamic shared memory.
     *
     * @throws CudaException if its code cannot be loaded
     */
    public synchronized Driver.Function function(String name, int dynamicSharedBytes) {
        Driver.Function function = functions.get(name);
        if (function == null) {
            function =
                    driver.moduleGetFunction(context, module(catalog.get(name).file()), name);
            functions.put(name, function);
        }
        // The 48 KiB that need no permission are for static and dynamic shared memory together, so permission is always
        // asked for.
        if (dynamicSharedBytes > sharedBytes.getOrDefault(name, 0)) {
            driver.funcSetMaxDynamicSharedSize(context, function, dynamicSharedBytes);
            sharedBytes.put(name, dynamicSharedBytes);
        }
        return function;
    }

    private Driver.Module module(String file) {
        Driver.Module module = modules.get(file);
        if (module == null) {
            byte[] image = KernelCatalog.image(architecture, file);
            try (Arena scope = Arena.ofConfined()) {
                // PTX is a C string, so that one more byte, a zero, ends it.
                MemorySegment bytes = scope.allocate(image.length + 1L, 16);
                MemorySegment.copy(image, 0, bytes, ValueLayout.JAVA_BYTE, 0, image.length);
                module = driver.moduleLoadData(context, bytes);
            }
            modules.put(file, module);
        }
        return module;
    }

    /**
     * Unloads all code, as far as that succeeds; nothing of it may be running any more.
     *
     * @throws CudaException the first failure
     */
    @Override
    public synchronized void close() {
        List<Driver.Module> loaded = List.copyOf(modules.values());
        modules.clear();
        functions.clear();
        sharedBytes.clear();
        @Nullable CudaException first = null;
        for (Driver.Module module : loaded) {
            try {
                driver.moduleUnload(context, module);
            } catch (CudaException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
