package dev.stowage.cuda.recording;

import dev.stowage.cuda.driver.CudaErrors;
import dev.stowage.cuda.driver.CudaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;

/**
 * Memory of a driver without a GPU: really the host's, handed out by address. What is not taken, or was given back, is
 * not touched but reported, as a GPU would.
 */
final class FakeMemory {

    /** A piece that was taken. */
    private record Piece(Arena arena, MemorySegment segment) {}

    private static final int ILLEGAL_ADDRESS = 700;
    private static final long ALIGNMENT = 256;

    private final String function;
    private final long capacity;
    private final TreeMap<Long, Piece> pieces = new TreeMap<>();
    private long used;

    /**
     * No memory taken yet.
     *
     * @param function the function that takes some, for messages
     */
    FakeMemory(String function, long capacity) {
        this.function = function;
        this.capacity = capacity;
    }

    MemorySegment allocate(long bytes) {
        if (bytes <= 0 || bytes > capacity - used) {
            throw new CudaException(function, CudaErrors.OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY");
        }
        Arena arena = Arena.ofShared();
        MemorySegment segment = arena.allocate(bytes, ALIGNMENT);
        pieces.put(segment.address(), new Piece(arena, segment));
        used += bytes;
        return segment;
    }

    void free(long address) {
        Piece piece = pieces.remove(address);
        if (piece == null) {
            throw new CudaException(
                    function, CudaErrors.INVALID_VALUE, "address " + address + " was not taken, or given back twice");
        }
        used -= piece.segment().byteSize();
        piece.segment().fill((byte) 0xdb);
        piece.arena().close();
    }

    void clear() {
        pieces.values().forEach(piece -> piece.arena().close());
        pieces.clear();
        used = 0;
    }

    /** The bytes from an address on, if they are all within one piece. */
    boolean has(long address, long bytes) {
        Map.Entry<Long, Piece> before = pieces.floorEntry(address);
        return before != null
                && address + bytes
                        <= before.getKey() + before.getValue().segment().byteSize();
    }

    MemorySegment at(long address, long bytes) {
        if (!has(address, bytes)) {
            throw new CudaException(
                    function,
                    ILLEGAL_ADDRESS,
                    "CUDA_ERROR_ILLEGAL_ADDRESS: " + bytes + " bytes at " + address + " are not taken");
        }
        Map.Entry<Long, Piece> piece = pieces.floorEntry(address);
        return piece.getValue().segment().asSlice(address - piece.getKey(), bytes);
    }

    /** The piece that begins at an address. */
    MemorySegment piece(long address) {
        Piece piece = pieces.get(address);
        if (piece == null) {
            throw new CudaException(function, CudaErrors.INVALID_VALUE, "nothing was taken at address " + address);
        }
        return piece.segment();
    }

    int count() {
        return pieces.size();
    }

    long used() {
        return used;
    }

    long capacity() {
        return capacity;
    }
}
