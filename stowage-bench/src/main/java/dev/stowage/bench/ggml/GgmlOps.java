package dev.stowage.bench.ggml;

import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.Op;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which number stands for which op in the library that is loaded, found by asking it for the name of each number, and
 * on which ops its planner has another rule than ours.
 */
public final class GgmlOps {

    /** The last op of ggml's list. Asking for the name of a number beyond it would read beyond a C array. */
    private static final String LAST = Op.GLU.name();

    private static final int MOST_OPS = Op.values().length;

    private final Map<Op, Integer> codes = new EnumMap<>(Op.class);
    private final Set<Op> differentInPlace = EnumSet.noneOf(Op.class);

    GgmlOps(GgmlFunctions functions) {
        Map<String, Integer> named = new HashMap<>();
        for (int code = 0; !named.containsKey(LAST); code++) {
            if (code == MOST_OPS) {
                throw new MalformedDataException(
                        "ggml " + functions.version() + " has more ops than the " + MOST_OPS + " known here");
            }
            named.put(functions.opName(code), code);
        }
        for (Op op : Op.values()) {
            Integer code = named.get(op.name());
            if (code != null) {
                codes.put(op, code);
                if (functions.canWorkInPlace(code) != op.canWorkInPlace()) {
                    differentInPlace.add(op);
                }
            }
        }
    }

    /** The ops that may overwrite an operand in this library but not in ours, or the other way round. */
    public Set<Op> differentInPlace() {
        return Collections.unmodifiableSet(differentInPlace);
    }

    /** Whether the library has that op. */
    public boolean has(Op op) {
        return codes.containsKey(op);
    }

    /**
     * The number of an op.
     *
     * @throws MalformedDataException if the library has no such op
     */
    public int code(Op op) {
        Integer code = codes.get(op);
        if (code == null) {
            throw new MalformedDataException("the ggml that is loaded has no op " + op);
        }
        return code;
    }
}
