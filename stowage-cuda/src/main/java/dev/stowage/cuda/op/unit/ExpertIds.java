package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.memory.BoundTensor;

/**
 * The experts of tokens, of which kernels for weights in units take any number for right: a copy in scratch memory without
 * the wrong ones, unless it is known that there are none.
 *
 * @param at the ids of the first token
 * @param tokenStride ids from one token to the next
 */
public record ExpertIds(Launch.Argument at, long tokenStride) {

    private static final int THREADS = 256;

    /**
     * The form of a tensor that this is.
     *
     * @param experts how many there are
     */
    private record Form(long experts) {}

    /** Says that ids are right by the way they are made. */
    public static void trust(BoundTensor ids, long experts, LaunchSink out) {
        if (out.derived().canKeep(ids) && ids.layout().hasContiguousRows()) {
            out.derived().put(ids, new Form(experts), new ExpertIds(Pointers.of(ids), ids.stride(1) / Integer.BYTES));
        }
    }

    /** The ids of a product, of which a copy is made where they are not trusted. */
    static ExpertIds of(BoundTensor ids, long experts, LaunchSink out) {
        return out.derived().get(ids, new Form(experts), () -> {
            long count = ids.shape().elements();
            Scratch clamped = out.scratch(count * Integer.BYTES);
            out.add(Launch.of("clamp_row_numbers")
                    .grid(Math.ceilDiv(count, THREADS))
                    .block(THREADS)
                    .dependent()
                    .view(ids)
                    .i64(experts)
                    .pointer(clamped));
            return new ExpertIds(Pointers.of(clamped), ids.dim(0));
        });
    }
}
