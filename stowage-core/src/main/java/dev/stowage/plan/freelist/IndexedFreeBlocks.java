package dev.stowage.plan.freelist;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Free blocks in two search trees, by address and by size, for chunks with very many holes. Makes the choices of {@link
 * SmallFreeBlocks}, but drops empty ranges; ggml gives up long before a chunk has this many holes. Only the block last
 * looked up has a handle.
 */
final class IndexedFreeBlocks extends FreeBlocks {

    private record Block(long offset, long size) {

        long end() {
            return offset + size;
        }
    }

    /** Smaller first; the later of equals first, since that one is chosen. */
    private static final Comparator<Block> BY_SIZE = Comparator.comparingLong(Block::size)
            .thenComparing(Comparator.comparingLong(Block::offset).reversed());

    private final TreeMap<Long, Block> byOffset = new TreeMap<>();
    private final TreeSet<Block> bySize = new TreeSet<>(BY_SIZE);
    private Block found = new Block(0, 0);

    IndexedFreeBlocks(SmallFreeBlocks blocks) {
        for (int i = 0; i < blocks.count(); i++) {
            if (blocks.size(i) > 0) {
                add(new Block(blocks.offset(i), blocks.size(i)));
            }
        }
    }

    @Override
    int count() {
        return bySize.size();
    }

    @Override
    int bestInterior(long size) {
        Block best = bySize.ceiling(new Block(Long.MAX_VALUE, size));
        if (best != null && best.equals(byOffset.lastEntry().getValue())) {
            best = bySize.higher(best);
        }
        return handle(best);
    }

    @Override
    int last() {
        Map.Entry<Long, Block> last = byOffset.lastEntry();
        return handle(last == null ? null : last.getValue());
    }

    private int handle(@Nullable Block block) {
        if (block == null) {
            return NONE;
        }
        found = block;
        return 0;
    }

    @Override
    long offset(int block) {
        return found.offset;
    }

    @Override
    long size(int block) {
        return found.size;
    }

    @Override
    void take(int block, long size) {
        Block taken = found;
        drop(taken);
        if (taken.size > size) {
            add(new Block(taken.offset + size, taken.size - size));
        }
    }

    @Override
    void release(long offset, long size) {
        if (size == 0) {
            return;
        }
        long start = offset;
        long end = offset + size;
        Map.Entry<Long, Block> before = byOffset.lowerEntry(end);
        if (before != null && before.getValue().end() > offset) {
            throw notTaken(offset, size);
        }
        if (before != null && before.getValue().end() == offset) {
            start = before.getValue().offset;
            drop(before.getValue());
        }
        Block after = byOffset.get(end);
        if (after != null) {
            end = after.end();
            drop(after);
        }
        add(new Block(start, end - start));
    }

    private void add(Block block) {
        byOffset.put(block.offset, block);
        bySize.add(block);
    }

    private void drop(Block block) {
        byOffset.remove(block.offset);
        bySize.remove(block);
    }
}
