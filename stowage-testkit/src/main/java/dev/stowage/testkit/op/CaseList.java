package dev.stowage.testkit.op;

import dev.stowage.tensor.Op;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Collects the cases of all families: fixed ones, and for each op a recipe that draws its operands at random. */
final class CaseList {

    private final Map<Op, List<OpCase>> fixed = new EnumMap<>(Op.class);
    private final Map<Op, CaseFactory> random = new EnumMap<>(Op.class);

    /** Adds a case that is always the same. */
    void add(Op op, CaseFactory recipe) {
        fixed.computeIfAbsent(op, _ -> new ArrayList<>()).add(new OpCase(op, 1, "", recipe));
    }

    /** Says how to draw a case of an op. */
    void random(Op op, CaseFactory recipe) {
        random.put(op, recipe);
    }

    List<OpCase> fixed(Op op) {
        return List.copyOf(fixed.getOrDefault(op, List.of()));
    }

    List<OpCase> drawn(Op op, long seed, int count) {
        CaseFactory recipe = random.get(op);
        List<OpCase> cases = new ArrayList<>();
        for (int i = 0; recipe != null && i < count; i++) {
            long own = seed * 1_000_003 + i;
            cases.add(new OpCase(op, own, "seed " + seed + " number " + i + ": ", recipe));
        }
        return cases;
    }
}
