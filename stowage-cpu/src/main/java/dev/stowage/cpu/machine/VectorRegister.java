package dev.stowage.cpu.machine;

/**
 * A vector register. Its type is its width, so that the compiler refuses an instruction whose registers differ in width.
 *
 * @param <V> the type itself
 */
public sealed interface VectorRegister<V extends VectorRegister<V>> extends Operand, Target<V> permits Xmm, Ymm, Zmm {

    /** How many registers of each width there are. */
    int COUNT = 32;

    /** The number of the register, 0 to 31; from 16 on only instructions of AVX-512 reach it. */
    int number();

    /** The bytes of the register: 16, 32 or 64. */
    int bytes();

    /** The register as a target of which only the lanes in a mask are written, and the others stay as they are. */
    Masked<V> where(Mask mask);

    /** The register as a target of which the lanes in a mask are written, and the others become 0. */
    Masked<V> zeroing(Mask mask);

    /** Fails if there is no register of that number. */
    static void require(int number) {
        if (number < 0 || number >= COUNT) {
            throw new IllegalArgumentException("there is no vector register " + number + ", only 0 to " + (COUNT - 1));
        }
    }
}
