package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.memory.BoundTensor;
import java.util.HashMap;
import java.util.Map;

/** Classifies each mask of one program once: its tiles are needed by the nodes of all layers. Not thread-safe. */
final class SharedMaskTiles implements MaskTiles.Source {

    private record Key(BoundTensor mask, MaskTiles tiles) {}

    private final Map<Key, Scratch> known = new HashMap<>();

    @Override
    public Scratch of(LaunchSink out, BoundTensor mask, MaskTiles tiles) {
        return known.computeIfAbsent(new Key(mask, tiles), key -> MaskTiles.classify(out, key.mask, key.tiles));
    }
}
