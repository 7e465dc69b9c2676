package dev.stowage.testkit.golden;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes tensors as a golden file describes them, one after the other, each after those it reads. Of the parameters of
 * an op the files only record the function of unary and gated ones, so the others are left out.
 */
final class TensorReader {

    private final Map<Integer, Tensor> tensors = new LinkedHashMap<>();

    /** The tensors so far, by their ids in the file. */
    Map<Integer, Tensor> tensors() {
        return Collections.unmodifiableMap(tensors);
    }

    /** The tensor whose id in the file stands there. */
    Tensor known(JsonCursor id) {
        Tensor tensor = tensors.get(id.asInt());
        if (tensor == null) {
            throw id.malformed("tensor " + id.asInt() + " is not known here: list it before what refers to it");
        }
        return tensor;
    }

    /** Makes the tensor that stands there and gives its id in the file. */
    int read(JsonCursor json) {
        int id = json.get("id").asInt();
        if (tensors.containsKey(id)) {
            throw json.get("id").malformed("there are two tensors " + id);
        }
        Tensor tensor = build(json, layout(json, id));
        mark(json, tensor);
        tensors.put(id, tensor);
        return id;
    }

    private Tensor build(JsonCursor json, Layout layout) {
        Tensor.Builder builder = Tensor.builder(layout).name(json.get("name").asString());
        builder.op(named(json.get("op"), Op.class), parameters(json));
        json.find("src")
                .ifPresent(ids -> addSources(builder, ids, json.get("id").asInt()));
        try {
            json.find("view_src").ifPresent(source -> builder.viewOf(root(source), offset(json)));
            return builder.build();
        } catch (InvalidTensorException e) {
            throw json.malformed(e);
        }
    }

    private static Layout layout(JsonCursor json, int id) {
        Layout layout;
        try {
            long[] shape = four(json.get("ne"));
            long[] strides = four(json.get("nb"));
            layout = Layout.strided(
                    ElementType.named(json.get("type").asString()),
                    Shape.of(shape),
                    new Strides(strides[0], strides[1], strides[2], strides[3]));
        } catch (InvalidTensorException e) {
            throw json.malformed(e);
        }
        long expected = json.get("nbytes").asLong();
        if (layout.byteSize() != expected) {
            throw json.get("nbytes")
                    .malformed("tensor " + id + " '" + json.get("name").asString() + "' (" + layout + ") has "
                            + layout.byteSize() + " bytes, the file says " + expected);
        }
        return layout;
    }

    private static long[] four(JsonCursor numbers) {
        long[] four = numbers.asLongs();
        if (four.length != Shape.RANK) {
            throw numbers.malformed("expected " + Shape.RANK + " numbers, found " + four.length);
        }
        return four;
    }

    private static OpParameters parameters(JsonCursor json) {
        return switch (named(json.get("op"), Op.class)) {
            case UNARY -> new OpParameters.Unary(named(json.get("unary"), UnaryFunction.class));
            case GLU -> new OpParameters.Glu(named(json.get("glu"), GluFunction.class), false);
            default -> OpParameters.NONE;
        };
    }

    private void addSources(Tensor.Builder builder, JsonCursor ids, int own) {
        List<JsonCursor> slots = ids.elements();
        for (int slot = 0; slot < slots.size(); slot++) {
            JsonCursor source = slots.get(slot);
            if (source.isNull()) {
                continue;
            }
            if (source.asInt() == own) {
                builder.sourceItself(slot);
            } else {
                builder.sourceAt(slot, known(source));
            }
        }
    }

    /** What a view shares the bytes of; offsets in the file count from there, so it must be no view itself. */
    private Tensor root(JsonCursor source) {
        Tensor root = known(source);
        if (root.isView()) {
            throw source.malformed("tensor " + source.asInt() + " is itself a view: refer to the one it is a view of");
        }
        return root;
    }

    private static long offset(JsonCursor json) {
        return json.get("view_offs").asLong();
    }

    private static void mark(JsonCursor json, Tensor tensor) {
        if (flag(json, "input")) {
            tensor.asInput();
        }
        if (flag(json, "output")) {
            tensor.asOutput();
        }
        if (flag(json, "preallocated") || json.find("buffer").isPresent()) {
            tensor.asWeight();
        }
    }

    private static boolean flag(JsonCursor json, String name) {
        return json.find(name).map(JsonCursor::asBoolean).orElse(false);
    }

    private static <E extends Enum<E>> E named(JsonCursor name, Class<E> family) {
        return Arrays.stream(family.getEnumConstants())
                .filter(constant -> constant.name().equals(name.asString()))
                .findFirst()
                .orElseThrow(() -> name.malformed(
                        "there is no " + family.getSimpleName() + " of the name '" + name.asString() + "'"));
    }
}
