package dev.stowage.cpu.machine;

/**
 * What a vector instruction writes: a register, or the lanes of one that are in a mask.
 *
 * @param <V> the width
 */
public sealed interface Target<V extends VectorRegister<V>> permits VectorRegister, Masked {

    /** The register that is written. */
    V register();
}
