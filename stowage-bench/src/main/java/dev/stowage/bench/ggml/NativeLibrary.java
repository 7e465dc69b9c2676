package dev.stowage.bench.ggml;

import dev.stowage.error.MalformedDataException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A shared library whose functions are bound by name. It stays loaded as long as the arena it was opened in. */
@SuppressWarnings("restricted")
public final class NativeLibrary {

    private static final Linker LINKER = Linker.nativeLinker();

    private final Path file;
    private final SymbolLookup symbols;

    /**
     * Loads a library.
     *
     * @throws MalformedDataException if it cannot be loaded
     */
    public NativeLibrary(Path file, Arena arena) {
        this.file = file;
        try {
            this.symbols = SymbolLookup.libraryLookup(file, arena);
        } catch (IllegalArgumentException e) {
            throw new MalformedDataException(file + " cannot be loaded as a shared library: " + e.getMessage(), e);
        }
    }

    /** Where it was loaded from. */
    public Path file() {
        return file;
    }

    /**
     * A function that returns {@code result}, or nothing if that is null.
     *
     * @throws MalformedDataException if there is none of that name
     */
    public MethodHandle function(String name, @Nullable MemoryLayout result, MemoryLayout... arguments) {
        MemorySegment address = address(name);
        FunctionDescriptor type =
                result == null ? FunctionDescriptor.ofVoid(arguments) : FunctionDescriptor.of(result, arguments);
        return LINKER.downcallHandle(address, type);
    }

    /** Where a function is, to hand it to another one. */
    MemorySegment address(String name) {
        return symbols.find(name).orElseThrow(() -> new MalformedDataException(file + " has no function " + name));
    }

    /** A call of a bound function can only fail through a mistake in its description here. */
    public static AssertionError wronglyBound(Throwable cause) {
        return new AssertionError("a native function is described wrongly", cause);
    }
}
