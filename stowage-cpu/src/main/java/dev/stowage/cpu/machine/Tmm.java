package dev.stowage.cpu.machine;

/** A register of AMX, which has a matrix of up to 16 rows of up to 64 bytes; how many is configured. */
public record Tmm(int number) {

    /** How many there are. */
    public static final int COUNT = 8;

    public Tmm {
        if (number < 0 || number >= COUNT) {
            throw new IllegalArgumentException("there is no matrix register " + number + ", only 0 to " + (COUNT - 1));
        }
    }

    /** The register of that number. */
    public static Tmm tmm(int number) {
        return new Tmm(number);
    }
}
