package dev.stowage.plan.freelist;

import java.util.ArrayList;
import java.util.List;

/**
 * The free list a second time, written from its rules alone and with no thought for speed: lists of mutable blocks
 * that are searched from end to end. What {@link FreeList} does is compared with it, step by step.
 *
 * <p>A range of no bytes that touches no block becomes a block of no bytes, as the rules say of any range.
 */
public final class NaiveFreeList {

    /** Where a request was put. */
    public record Place(int chunk, long offset) {}

    private static final class Block {
        long offset;
        long size;

        Block(long offset, long size) {
            this.offset = offset;
            this.size = size;
        }

        long end() {
            return offset + size;
        }
    }

    private static final class Chunk {
        final List<Block> blocks = new ArrayList<>();
        long highWater;
    }

    private final long alignment;
    private final long limit;
    private final List<Chunk> chunks = new ArrayList<>();

    public NaiveFreeList(long alignment, long limit) {
        this.alignment = alignment;
        this.limit = limit;
    }

    public long padded(long size) {
        long beyond = size % alignment;
        return beyond == 0 ? size : size - beyond + alignment;
    }

    public Place allocate(long size) {
        long needed = padded(size);
        int chunk = -1;
        int block = -1;
        for (int i = 0; i < chunks.size(); i++) {
            int fit = interiorFit(chunks.get(i).blocks, needed);
            if (fit >= 0) {
                chunk = i;
                block = fit;
            }
        }
        if (block < 0) {
            chunk = tailFit(needed);
            if (chunk < 0) {
                Chunk added = new Chunk();
                added.blocks.add(new Block(0, Math.max(needed, limit)));
                chunks.add(added);
                chunk = chunks.size() - 1;
            }
            block = chunks.get(chunk).blocks.size() - 1;
        }
        return take(chunk, block, needed);
    }

    private static int interiorFit(List<Block> blocks, long needed) {
        int best = -1;
        for (int i = 0; i < blocks.size() - 1; i++) {
            boolean fits = blocks.get(i).size >= needed;
            if (fits && (best < 0 || blocks.get(i).size <= blocks.get(best).size)) {
                best = i;
            }
        }
        return best;
    }

    private int tailFit(long needed) {
        int best = -1;
        long bestRest = 0;
        for (int i = 0; i < chunks.size(); i++) {
            List<Block> blocks = chunks.get(i).blocks;
            if (blocks.isEmpty() || blocks.getLast().size < needed) {
                continue;
            }
            long rest = chunks.get(i).highWater - blocks.getLast().offset - needed;
            if (best < 0 || (bestRest < 0 && rest > bestRest) || (rest >= 0 && rest < bestRest)) {
                best = i;
                bestRest = rest;
            }
        }
        return best;
    }

    private Place take(int chunk, int block, long needed) {
        Chunk from = chunks.get(chunk);
        Block taken = from.blocks.get(block);
        long offset = taken.offset;
        taken.offset += needed;
        taken.size -= needed;
        if (taken.size == 0) {
            from.blocks.remove(block);
        }
        from.highWater = Math.max(from.highWater, offset + needed);
        return new Place(chunk, offset);
    }

    public void free(int chunk, long offset, long size) {
        long freed = padded(size);
        List<Block> blocks = chunks.get(chunk).blocks;
        for (int i = 0; i < blocks.size(); i++) {
            Block block = blocks.get(i);
            if (block.end() == offset) {
                block.size += freed;
                if (i + 1 < blocks.size() && blocks.get(i + 1).offset == block.end()) {
                    block.size += blocks.remove(i + 1).size;
                }
                return;
            }
            if (offset + freed == block.offset) {
                block.offset = offset;
                block.size += freed;
                if (i > 0 && blocks.get(i - 1).end() == block.offset) {
                    blocks.get(i - 1).size += blocks.remove(i).size;
                }
                return;
            }
        }
        int at = 0;
        while (at < blocks.size() && blocks.get(at).offset < offset) {
            at++;
        }
        blocks.add(at, new Block(offset, freed));
    }

    public int chunkCount() {
        return chunks.size();
    }

    public long chunkSize(int chunk) {
        return chunks.get(chunk).highWater;
    }

    int blockCount(int chunk) {
        return chunks.get(chunk).blocks.size();
    }
}
