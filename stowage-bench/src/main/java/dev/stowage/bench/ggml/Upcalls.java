package dev.stowage.bench.ggml;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** Makes C function pointers of the methods of an object; they are valid as long as the arena. */
public final class Upcalls {

    private final MethodHandles.Lookup lookup;
    private final Object target;
    private final Arena arena;

    /**
     * Functions of an object.
     *
     * @param lookup may see its methods
     */
    public Upcalls(MethodHandles.Lookup lookup, Object target, Arena arena) {
        this.lookup = lookup;
        this.target = target;
        this.arena = arena;
    }

    public MemorySegment to(String method, MemoryLayout result, MemoryLayout... arguments) {
        return stub(method, FunctionDescriptor.of(result, arguments));
    }

    /** A function that returns nothing. */
    public MemorySegment toVoid(String method, MemoryLayout... arguments) {
        return stub(method, FunctionDescriptor.ofVoid(arguments));
    }

    @SuppressWarnings("restricted")
    private MemorySegment stub(String method, FunctionDescriptor type) {
        try {
            MethodHandle handle = lookup.bind(target, method, type.toMethodType());
            return Linker.nativeLinker().upcallStub(handle, type, arena);
        } catch (ReflectiveOperationException e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }
}
