package dev.stowage.cpu.machine;

/** The mask registers of AVX-512. Instructions cannot be masked with K0, whose number means that there is no mask. */
public enum Mask {
    K0(0),
    K1(1),
    K2(2),
    K3(3),
    K4(4),
    K5(5),
    K6(6),
    K7(7);

    private final int number;

    Mask(int number) {
        this.number = number;
    }

    /** The number of the register, 0 to 7. */
    public int number() {
        return number;
    }
}
