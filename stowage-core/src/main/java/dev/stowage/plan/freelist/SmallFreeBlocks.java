package dev.stowage.plan.freelist;

import java.util.Arrays;

/** Free blocks in two sorted arrays with linear search: fastest for the few blocks of most graphs. */
final class SmallFreeBlocks extends FreeBlocks {

    private long[] offsets = new long[16];
    private long[] sizes = new long[16];
    private int count;

    SmallFreeBlocks(long size) {
        sizes[0] = size;
        count = 1;
    }

    @Override
    int count() {
        return count;
    }

    @Override
    int bestInterior(long size) {
        int best = NONE;
        long bestSize = Long.MAX_VALUE;
        for (int i = 0; i < count - 1; i++) {
            long candidate = sizes[i];
            if (candidate >= size && candidate <= bestSize) {
                best = i;
                bestSize = candidate;
            }
        }
        return best;
    }

    @Override
    int last() {
        return count - 1;
    }

    @Override
    long offset(int block) {
        return offsets[block];
    }

    @Override
    long size(int block) {
        return sizes[block];
    }

    @Override
    void take(int block, long size) {
        offsets[block] += size;
        sizes[block] -= size;
        if (sizes[block] == 0) {
            remove(block);
        }
    }

    /**
     * Follows ggml exactly, also for empty ranges: one inside a free block becomes a block of its own, and may be the
     * last.
     */
    @Override
    void release(long offset, long size) {
        long end = offset + size;
        int touching = NONE;
        int position = NONE;
        for (int i = 0; i < count; i++) {
            long blockOffset = offsets[i];
            long blockEnd = blockOffset + sizes[i];
            if (Math.max(offset, blockOffset) < Math.min(end, blockEnd)) {
                throw notTaken(offset, size);
            }
            if (touching == NONE && (blockEnd == offset || end == blockOffset)) {
                touching = i;
            }
            if (position == NONE && blockOffset >= offset) {
                position = i;
            }
        }
        if (touching == NONE) {
            insert(position == NONE ? count : position, offset, size);
        } else if (offsets[touching] + sizes[touching] == offset) {
            sizes[touching] += size;
            joinWithNext(touching);
        } else {
            offsets[touching] = offset;
            sizes[touching] += size;
            if (touching > 0) {
                joinWithNext(touching - 1);
            }
        }
    }

    private void joinWithNext(int block) {
        if (block + 1 < count && offsets[block] + sizes[block] == offsets[block + 1]) {
            sizes[block] += sizes[block + 1];
            remove(block + 1);
        }
    }

    private void insert(int at, long offset, long size) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
            sizes = Arrays.copyOf(sizes, count * 2);
        }
        System.arraycopy(offsets, at, offsets, at + 1, count - at);
        System.arraycopy(sizes, at, sizes, at + 1, count - at);
        offsets[at] = offset;
        sizes[at] = size;
        count++;
    }

    private void remove(int at) {
        count--;
        System.arraycopy(offsets, at + 1, offsets, at, count - at);
        System.arraycopy(sizes, at + 1, sizes, at, count - at);
    }
}
