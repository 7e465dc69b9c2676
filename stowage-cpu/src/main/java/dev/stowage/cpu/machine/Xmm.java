package dev.stowage.cpu.machine;

/** A vector register of 128 bits. */
public record Xmm(int number) implements VectorRegister<Xmm> {

    public Xmm {
        VectorRegister.require(number);
    }

    /** The register of that number. */
    public static Xmm xmm(int number) {
        return new Xmm(number);
    }

    @Override
    public int bytes() {
        return 16;
    }

    @Override
    public Xmm register() {
        return this;
    }

    @Override
    public Masked<Xmm> where(Mask mask) {
        return new Masked<>(this, mask, false);
    }

    @Override
    public Masked<Xmm> zeroing(Mask mask) {
        return new Masked<>(this, mask, true);
    }
}
