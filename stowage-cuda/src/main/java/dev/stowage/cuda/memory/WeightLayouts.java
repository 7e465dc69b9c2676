package dev.stowage.cuda.memory;

import dev.stowage.device.OpSupport;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;

/** The rearranged memory that one GPU keeps weights in, beside its plain memory. */
public interface WeightLayouts {

    /** The memory that a weight of that layout is best kept in. */
    BufferType typeFor(Layout layout);

    /** Whether such memory is rearranged memory of this GPU. */
    boolean has(BufferType type);

    /** Whether a node takes those of its operands that are stored in rearranged memory; yes if there are none. */
    OpSupport supports(Tensor node);

    /** Plain memory for all weights. */
    static WeightLayouts plain(BufferType memory) {
        return new WeightLayouts() {

            @Override
            public BufferType typeFor(Layout layout) {
                return memory;
            }

            @Override
            public boolean has(BufferType type) {
                return false;
            }

            @Override
            public OpSupport supports(Tensor node) {
                return OpSupport.yes();
            }
        };
    }
}
