package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.Feature;
import dev.stowage.cpu.machine.Features;
import java.util.Set;

/** The instructions that tiles can be written with, the fastest first. */
public enum TileLevel {
    /** Products of matrices of bytes. No processor with them was at hand: this has run only with other instructions in their place. */
    AMX,
    /** Registers of 512 bits, and a product of bytes that adds four neighbours. */
    AVX512_VNNI,
    /** The same product on registers of 256 bits. */
    AVX_VNNI,
    /** Registers of 256 bits, and a product of bytes that adds two neighbours, to 16 bits. */
    AVX2;

    /** The features of the processor that the code uses. */
    public Set<Feature> features() {
        return switch (this) {
            case AMX -> Features.with(Features.OF_512_BITS, Feature.AMX_TILE, Feature.AMX_INT8);
            case AVX512_VNNI -> Features.with(Features.OF_512_BITS, Feature.AVX512_VNNI);
            case AVX_VNNI -> Features.with(Features.OF_256_BITS, Feature.AVX_VNNI);
            case AVX2 -> Features.OF_256_BITS;
        };
    }
}
