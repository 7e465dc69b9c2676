package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.memory.BoundTensor;

/**
 * How a mask is divided into tiles, each of which gets a number from {@code attention_classify_mask}.
 *
 * @param tokens how many rows of the mask count
 * @param cells how many elements of each row count
 */
record MaskTiles(int tokens, int cells, int tileTokens, int tileCells) {

    private static final int THREADS = 256;

    /** Where the numbers of a mask's tiles come from. */
    @FunctionalInterface
    interface Source {

        /** The numbers of all tiles, two bytes each, as they are when the next launch begins. */
        Scratch of(LaunchSink out, BoundTensor mask, MaskTiles tiles);
    }

    /** Classifies a mask at this point of the program. */
    static Scratch classify(LaunchSink out, BoundTensor mask, MaskTiles tiles) {
        long masks = mask.dim(2) * mask.dim(3);
        Scratch classes = out.scratch(Short.BYTES * masks * tiles.tokenTiles() * tiles.cellTiles());
        out.add(Launch.of("attention_classify_mask")
                .grid(tiles.cellTiles(), tiles.tokenTiles(), masks)
                .block(THREADS)
                .dependent()
                .view(mask)
                .pointer(classes)
                .i32(tiles.tokens)
                .i32(tiles.cells)
                .i32(tiles.tileTokens)
                .i32(tiles.tileCells));
        return classes;
    }

    long tokenTiles() {
        return Math.ceilDiv(tokens, tileTokens);
    }

    long cellTiles() {
        return Math.ceilDiv(cells, tileCells);
    }
}
