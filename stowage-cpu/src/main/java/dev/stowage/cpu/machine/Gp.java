package dev.stowage.cpu.machine;

/** The sixteen general-purpose registers of 64 bits. */
public enum Gp {
    RAX(0),
    RCX(1),
    RDX(2),
    RBX(3),
    RSP(4),
    RBP(5),
    RSI(6),
    RDI(7),
    R8(8),
    R9(9),
    R10(10),
    R11(11),
    R12(12),
    R13(13),
    R14(14),
    R15(15);

    private final int number;

    Gp(int number) {
        this.number = number;
    }

    /** The number of the register, 0 to 15. */
    public int number() {
        return number;
    }
}
