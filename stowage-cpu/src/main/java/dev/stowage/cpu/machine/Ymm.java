package dev.stowage.cpu.machine;

/** A vector register of 256 bits. */
public record Ymm(int number) implements VectorRegister<Ymm> {

    public Ymm {
        VectorRegister.require(number);
    }

    /** The register of that number. */
    public static Ymm ymm(int number) {
        return new Ymm(number);
    }

    @Override
    public int bytes() {
        return 32;
    }

    @Override
    public Ymm register() {
        return this;
    }

    @Override
    public Masked<Ymm> where(Mask mask) {
        return new Masked<>(this, mask, false);
    }

    @Override
    public Masked<Ymm> zeroing(Mask mask) {
        return new Masked<>(this, mask, true);
    }
}
