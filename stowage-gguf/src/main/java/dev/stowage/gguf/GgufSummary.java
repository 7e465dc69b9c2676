package dev.stowage.gguf;

import dev.stowage.tensor.ElementType;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A summary of a model: how large it is, of which types, and whether it is complete.
 *
 * @param parameters how many numbers all tensors have together
 * @param dataBytes the bytes of the data of all tensors
 * @param fileBytes the bytes of all files
 * @param missingBytes the bytes that the files lack to hold the data of all tensors
 * @param shares what each element type has of it, the one with most bytes first
 */
public record GgufSummary(long parameters, long dataBytes, long fileBytes, long missingBytes, List<TypeShare> shares) {

    public GgufSummary {
        shares = List.copyOf(shares);
    }

    /**
     * What one element type has of a model.
     *
     * @param tensors how many tensors are of the type
     * @param parameters how many numbers they have
     * @param bytes how many bytes their data has
     */
    public record TypeShare(ElementType type, int tensors, long parameters, long bytes) {

        private TypeShare plus(TypeShare other) {
            return new TypeShare(type, tensors + other.tensors, parameters + other.parameters, bytes + other.bytes);
        }
    }

    /** The summary of a model. */
    public static GgufSummary of(GgufContents contents) {
        Map<ElementType, TypeShare> byType = new EnumMap<>(ElementType.class);
        for (GgufTensor tensor : contents.tensors().values()) {
            TypeShare one = new TypeShare(tensor.type(), 1, tensor.shape().elements(), tensor.byteSize());
            byType.merge(tensor.type(), one, TypeShare::plus);
        }
        return new GgufSummary(
                contents.parameters(),
                contents.byteSize(),
                contents.parts().stream().mapToLong(GgufHeader::fileSize).sum(),
                contents.parts().stream().mapToLong(GgufSummary::missing).sum(),
                byType.values().stream()
                        .sorted(Comparator.comparingLong(TypeShare::bytes).reversed())
                        .toList());
    }

    private static long missing(GgufHeader part) {
        return Math.max(0, part.dataBytes() - Math.max(0, part.fileSize() - part.dataOffset()));
    }

    /** How many bits a parameter takes on average; 0 for a model without any. */
    public double bitsPerParameter() {
        return parameters == 0 ? 0 : 8.0 * dataBytes / parameters;
    }
}
