package dev.stowage.bench.ggml.schedule;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.bench.ggml.GgmlFunctions;
import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.bench.ggml.NativeLibrary;
import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.Op;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Checks that the library that is loaded calls devices through the structs that are described in C here: asks ggml
 * about a device, through one function of each struct at its beginning and at its end, and compares the answers.
 */
final class NoOpCheck {

    private final NativeLibrary base;
    private final GgmlLibrary library;
    private final NoOpRules rules;
    private final MemorySegment backend;

    private NoOpCheck(GgmlLibrary library, NoOpRules rules, MemorySegment backend) {
        this.base = library.functions().library();
        this.library = library;
        this.rules = rules;
        this.backend = backend;
    }

    /**
     * Does nothing if ggml answers as the rules say.
     *
     * @throws MalformedDataException naming the first answer that is another
     */
    static void check(
            GgmlLibrary library,
            NoOpRules rules,
            MemorySegment backend,
            Map<String, MemorySegment> types,
            GgmlTensor node) {
        NoOpCheck check = new NoOpCheck(library, rules, backend);
        try {
            check.checkAnswers(types, node);
            check.checkEvents();
        } catch (MalformedDataException e) {
            throw e;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    private void checkAnswers(Map<String, MemorySegment> types, GgmlTensor node) throws Throwable {
        MethodHandle name = base.function("ggml_backend_name", ADDRESS, ADDRESS);
        expect("name", rules.name(), GgmlFunctions.text((MemorySegment) name.invokeExact(backend)));
        MethodHandle memory = base.function("ggml_backend_get_default_buffer_type", ADDRESS, ADDRESS);
        MemorySegment own = (MemorySegment) memory.invokeExact(backend);
        expect("memory", rules.memory().name(), library.functions().allocators().name(own));
        expect(
                "alignment",
                rules.memory().alignment(),
                library.functions().allocators().alignment(own));
        MethodHandle isHost = base.function("ggml_backend_buft_is_host", JAVA_BOOLEAN, ADDRESS);
        expect("is_host", rules.memory().isHost(), (boolean) isHost.invokeExact(own));
        MethodHandle reads = base.function("ggml_backend_supports_buft", JAVA_BOOLEAN, ADDRESS, ADDRESS);
        for (Map.Entry<String, MemorySegment> type : types.entrySet()) {
            boolean answer = (boolean) reads.invokeExact(backend, type.getValue());
            expect("supports_buft", rules.readable().contains(type.getKey()), answer);
        }
        MethodHandle offloads = base.function("ggml_backend_offload_op", JAVA_BOOLEAN, ADDRESS, ADDRESS);
        for (Op op : Op.values()) {
            if (library.ops().has(op)) {
                node.setOp(library.ops().code(op));
                expect("supports_op", rules.runs(op), library.backends().supports(backend, node));
                expect("offload_op", rules.offloaded().contains(op), (boolean)
                        offloads.invokeExact(backend, node.struct()));
            }
        }
    }

    private void checkEvents() throws Throwable {
        MethodHandle deviceOf = base.function("ggml_backend_get_device", ADDRESS, ADDRESS);
        MethodHandle kindOf = base.function("ggml_backend_dev_type", JAVA_INT, ADDRESS);
        MethodHandle newEvent = base.function("ggml_backend_event_new", ADDRESS, ADDRESS);
        MethodHandle freeEvent = base.function("ggml_backend_event_free", null, ADDRESS);
        MethodHandle record = base.function("ggml_backend_event_record", null, ADDRESS, ADDRESS);
        MethodHandle await = base.function("ggml_backend_event_wait", null, ADDRESS, ADDRESS);
        MethodHandle synchronize = base.function("ggml_backend_synchronize", null, ADDRESS);
        MemorySegment device = (MemorySegment) deviceOf.invokeExact(backend);
        expect("type", GgmlNoOpDevices.kind(rules.type()), (int) kindOf.invokeExact(device));
        MemorySegment event = (MemorySegment) newEvent.invokeExact(device);
        expect("event_new", rules.hasEvents(), !event.equals(MemorySegment.NULL));
        library.noOps().record(true);
        synchronize.invokeExact(backend);
        if (rules.hasEvents()) {
            record.invokeExact(event, backend);
            await.invokeExact(backend, event);
            freeEvent.invokeExact(event);
        }
        List<Integer> kinds = NoOpTrace.kinds(library.noOps());
        library.noOps().record(false);
        expect(
                "calls",
                rules.hasEvents()
                        ? List.of(NoOpTrace.SYNC, NoOpTrace.EVENT_RECORD, NoOpTrace.EVENT_WAIT)
                        : List.of(NoOpTrace.SYNC),
                kinds);
    }

    private void expect(String what, Object expected, Object found) {
        if (!Objects.equals(expected, found)) {
            throw new MalformedDataException("this is not the ggml whose devices are known here: '" + what + "' of "
                    + rules.name() + " should be " + expected + ", but ggml finds " + found);
        }
    }
}
