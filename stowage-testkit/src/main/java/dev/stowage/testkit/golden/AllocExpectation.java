package dev.stowage.testkit.golden;

import dev.stowage.internal.json.JsonCursor;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where ggml's graph allocator put everything.
 *
 * @param bufferSizes the bytes of each buffer, 0 where an earlier buffer is the same memory
 * @param chunks for each buffer the bytes of each of its chunks, repeated where two buffers are the same memory
 * @param placements the place of each tensor in a planned buffer, views included, by its id in the file
 */
public record AllocExpectation(
        List<Long> bufferSizes, List<List<Long>> chunks, Map<Integer, ExpectedPlacement> placements) {

    /** A place in a plan. Where two buffers are the same memory, ggml reports the last of them. */
    public record ExpectedPlacement(int buffer, int chunk, long offset) {}

    public AllocExpectation {
        bufferSizes = List.copyOf(bufferSizes);
        chunks = List.copyOf(chunks);
        placements = Collections.unmodifiableMap(new LinkedHashMap<>(placements));
    }

    static AllocExpectation read(JsonCursor json, GoldenGraph tensors, int bufferCount) {
        List<Long> sizes = sizes(json.get("buffer_sizes"));
        List<List<Long>> chunks = json.get("chunks").elements().stream()
                .map(AllocExpectation::sizes)
                .toList();
        requireOnePerBuffer(json.get("buffer_sizes"), bufferCount);
        requireOnePerBuffer(json.get("chunks"), bufferCount);
        Map<Integer, ExpectedPlacement> placements = new LinkedHashMap<>();
        JsonCursor places = json.get("placement");
        for (String id : places.names()) {
            placements.put(tensors.fileId(places.get(id), id), placement(places.get(id), chunks));
        }
        return new AllocExpectation(sizes, chunks, placements);
    }

    private static List<Long> sizes(JsonCursor list) {
        return Arrays.stream(list.asLongs()).boxed().toList();
    }

    private static void requireOnePerBuffer(JsonCursor list, int bufferCount) {
        int found = list.elements().size();
        if (found != bufferCount) {
            throw list.malformed("expected one entry for each of " + bufferCount + " buffers, found " + found);
        }
    }

    private static ExpectedPlacement placement(JsonCursor place, List<List<Long>> chunks) {
        int buffer = place.at(0).asInt(0, chunks.size() - 1);
        int chunk = place.at(1).asInt(0, chunks.get(buffer).size() - 1);
        return new ExpectedPlacement(buffer, chunk, place.at(2).asLong(0, Long.MAX_VALUE));
    }
}
