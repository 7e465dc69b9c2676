package dev.stowage.reference.quant;

import dev.stowage.tensor.ElementType;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/**
 * What ggml made of some floats, recorded from its library, so that the formats are held to it where the library is
 * not there. The floats are rows of 256, each drawn in another way: normal, uniform, of one sign, with an outlier,
 * constant, whole numbers, and so on; the iq types do without the last rows, of zeros and of very small and very large
 * numbers, for some of which ggml writes bytes that mean nothing or gives up.
 *
 * <pre>
 *   count, inputs                       count floats
 *   number of types, and for each:
 *     name, count
 *     quantised                         the bytes of count elements
 *     whether ggml dequantises it, and if so
 *       checksums                       one for each row of 256 dequantised elements
 *     count, random                     the bytes of count elements, chosen at random
 *     dequantised                       count floats, those of the random bytes
 * </pre>
 *
 * <p>Floats are stored with the first bytes of all together, then the second bytes, and so on.
 */
final class GgmlResults {

    static final int ROW = 256;

    /** The results for one type; those of dequantising are empty for the type that ggml does not dequantise. */
    static final class Result {

        final byte[] quantized;
        final int[] checksums;
        final byte[] random;
        final float[] dequantized;

        private Result(ElementType type, DataInputStream in) throws IOException {
            int count = in.readInt();
            quantized = in.readNBytes((int) type.rowBytes(count));
            checksums = new int[in.readBoolean() ? count / ROW : 0];
            for (int row = 0; row < checksums.length; row++) {
                checksums[row] = in.readInt();
            }
            int randomCount = in.readInt();
            random = in.readNBytes((int) type.rowBytes(randomCount));
            dequantized = floats(in, randomCount);
        }
    }

    private static final GgmlResults RECORDED = load();

    private final float[] inputs;
    private final Map<ElementType, Result> results = new EnumMap<>(ElementType.class);

    private GgmlResults(DataInputStream in) throws IOException {
        inputs = floats(in, in.readInt());
        for (int types = in.readInt(); types > 0; types--) {
            ElementType type = ElementType.named(in.readUTF());
            results.put(type, new Result(type, in));
        }
    }

    /** The floats that were quantised; a type may have taken only the first of them. */
    static float[] inputs() {
        return RECORDED.inputs;
    }

    static Result of(ElementType type) {
        return Objects.requireNonNull(RECORDED.results.get(type), "no results for " + type);
    }

    private static float[] floats(DataInputStream in, int count) throws IOException {
        int[] bits = new int[count];
        for (int part = 0; part < Integer.BYTES; part++) {
            for (int i = 0; i < count; i++) {
                bits[i] = (bits[i] << Byte.SIZE) | in.readUnsignedByte();
            }
        }
        float[] floats = new float[count];
        for (int i = 0; i < count; i++) {
            floats[i] = Float.intBitsToFloat(bits[i]);
        }
        return floats;
    }

    private static GgmlResults load() {
        try (InputStream file = GgmlResults.class.getResourceAsStream("ggml.bin.gz");
                InputStream in = new GZIPInputStream(Objects.requireNonNull(file, "ggml.bin.gz is missing"))) {
            return new GgmlResults(new DataInputStream(in));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
