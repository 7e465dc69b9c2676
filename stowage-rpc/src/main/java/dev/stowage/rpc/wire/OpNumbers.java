package dev.stowage.rpc.wire;

import dev.stowage.tensor.Op;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The numbers that ops have in versions of ggml which lack some of them, as tables: messages have many. Thread-safe. */
final class OpNumbers {

    private static final Map<Set<Op>, OpNumbers> BY_ABSENT = new ConcurrentHashMap<>();

    private final int[] numbers;
    private final Op[] ops;

    @SuppressWarnings("EnumOrdinal") // an index of our own, which nobody else sees
    private OpNumbers(Set<Op> absent) {
        Op[] all = Op.values();
        this.numbers = new int[all.length];
        this.ops = new Op[all.length - absent.size()];
        int next = 0;
        for (Op op : all) {
            if (absent.contains(op)) {
                numbers[op.ordinal()] = -1;
            } else {
                numbers[op.ordinal()] = next;
                ops[next++] = op;
            }
        }
    }

    /** The numbers where these ops do not exist. */
    static OpNumbers of(Set<Op> absent) {
        return BY_ABSENT.computeIfAbsent(absent, OpNumbers::new);
    }

    /** The number of an op; -1 if it does not exist. */
    @SuppressWarnings("EnumOrdinal") // see above
    int number(Op op) {
        return numbers[op.ordinal()];
    }

    /** The op with that number, or null. */
    @Nullable
    Op op(int number) {
        return number >= 0 && number < ops.length ? ops[number] : null;
    }
}
