package dev.stowage.cpu.machine.row;

import dev.stowage.cpu.machine.Feature;
import dev.stowage.cpu.machine.Features;
import java.util.Set;

/** The instructions that kernels of rows can be written with, the fastest first. */
public enum RowLevel {
    /** Registers of 512 bits, 32 of them. */
    AVX512,
    /** Registers of 256 bits, 16 of them. */
    AVX2;

    /** The features of the processor that the code uses. */
    public Set<Feature> features() {
        return switch (this) {
            case AVX512 -> Features.OF_512_BITS;
            case AVX2 -> Features.OF_256_BITS;
        };
    }

    /** The floats of a register. */
    int lanes() {
        return switch (this) {
            case AVX512 -> 16;
            case AVX2 -> 8;
        };
    }
}
