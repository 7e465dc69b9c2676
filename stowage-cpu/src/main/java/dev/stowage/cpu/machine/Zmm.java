package dev.stowage.cpu.machine;

/** A vector register of 512 bits. */
public record Zmm(int number) implements VectorRegister<Zmm> {

    public Zmm {
        VectorRegister.require(number);
    }

    /** The register of that number. */
    public static Zmm zmm(int number) {
        return new Zmm(number);
    }

    @Override
    public int bytes() {
        return 64;
    }

    @Override
    public Zmm register() {
        return this;
    }

    @Override
    public Masked<Zmm> where(Mask mask) {
        return new Masked<>(this, mask, false);
    }

    @Override
    public Masked<Zmm> zeroing(Mask mask) {
        return new Masked<>(this, mask, true);
    }
}
