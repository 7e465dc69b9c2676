package dev.stowage.cuda.program;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What launches of one program have made of tensors, for later launches to use again: the same tokens are rounded once
 * for the three products that read them. A form stays valid to the end, since a tensor that is still read has the value
 * its node gave it; memory that nodes write into through views is left out. Not thread-safe.
 */
public final class DerivedForms {

    private record Key(BoundTensor tensor, Object form) {}

    private final boolean areKept;
    private final List<BoundTensor> rewritten = new ArrayList<>();
    private final Map<Key, Object> known = new HashMap<>();

    private DerivedForms(boolean areKept) {
        this.areKept = areKept;
    }

    /** Nothing is used again: for launches whose graph is not known. */
    static DerivedForms none() {
        return new DerivedForms(false);
    }

    /** For a program that computes a graph. */
    static DerivedForms of(BoundGraph bound) {
        DerivedForms forms = new DerivedForms(true);
        for (int node = 0; node < bound.graph().nodeCount(); node++) {
            if (bound.graph().node(node).isView()
                    && bound.graph().isComputed(node)
                    && !bound.graph().isViewOp(node)) {
                forms.rewritten.add(bound.tensor(node));
            }
        }
        return forms;
    }

    /**
     * A form of a tensor.
     *
     * @param form what is made of the tensor, an equal object for the same form
     * @param make adds the launches that make it
     * @param <T> one type for each form
     */
    @SuppressWarnings("unchecked") // a form is made by one kind of supplier
    public <T> T get(BoundTensor tensor, Object form, Supplier<T> make) {
        if (!canKeep(tensor)) {
            return make.get();
        }
        Key key = new Key(tensor, form);
        T value = (T) known.get(key);
        if (value == null) {
            value = make.get();
            known.put(key, value);
        }
        return value;
    }

    /** Whether a form of that tensor can be {@linkplain #put made ahead} of the launches that need it. */
    public boolean canKeep(BoundTensor tensor) {
        return areKept && rewritten.stream().noneMatch(other -> overlap(tensor, other));
    }

    /** Says that launches have made a form of a tensor of which forms {@linkplain #canKeep can be kept}. */
    public void put(BoundTensor tensor, Object form, Object value) {
        known.put(new Key(tensor, form), value);
    }

    private static boolean overlap(BoundTensor a, BoundTensor b) {
        long ofA = DeviceAddress.of(a);
        long ofB = DeviceAddress.of(b);
        return ofA < ofB + b.byteSize() && ofB < ofA + a.byteSize();
    }
}
