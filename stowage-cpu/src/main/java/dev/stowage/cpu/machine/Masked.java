package dev.stowage.cpu.machine;

/**
 * A register of which only the lanes in a mask are written.
 *
 * @param zeroing whether the other lanes become 0; else they stay as they are
 */
public record Masked<V extends VectorRegister<V>>(V register, Mask mask, boolean zeroing) implements Target<V> {

    public Masked {
        if (mask == Mask.K0) {
            throw new IllegalArgumentException("K0 cannot mask an instruction: its number means no mask");
        }
    }
}
