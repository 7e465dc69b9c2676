package dev.stowage.cpu.machine.brain;

import dev.stowage.cpu.machine.Feature;
import dev.stowage.cpu.machine.Features;
import java.util.Set;

/** The instructions that tiles of bf16 can be written with, the fastest first. */
public enum BrainLevel {
    /** Products of matrices of bf16. No processor with them was at hand: this has run only with other instructions in their place. */
    AMX,
    /** Registers of 512 bits, and a product of bf16 that adds two neighbours. */
    AVX512_BF16;

    /** The features of the processor that the code uses. */
    public Set<Feature> features() {
        return switch (this) {
            case AMX -> Features.with(Features.OF_512_BITS, Feature.AMX_TILE, Feature.AMX_BF16);
            case AVX512_BF16 -> Features.with(Features.OF_512_BITS, Feature.AVX512_BF16);
        };
    }

    /** The most rows of a tile. */
    int rows() {
        return switch (this) {
            case AMX -> 16;
            case AVX512_BF16 -> 7;
        };
    }
}
