package dev.stowage.cpu.kernel;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The species that kernels use to convert elements of other types to floats and back: as many narrow lanes as a vector
 * of floats has. There is no vector of four bytes, so where vectors have four floats, bytes are loaded by eight, and
 * {@link #NARROW} says to convert them in two parts.
 */
public final class Lanes {

    /** Floats: the widest there are, up to sixteen lanes, because no block has fewer elements than that to a scale. */
    public static final VectorSpecies<Float> F =
            FloatVector.SPECIES_PREFERRED.length() > 16 ? FloatVector.SPECIES_512 : FloatVector.SPECIES_PREFERRED;

    /** Ints of the same shape. */
    public static final VectorSpecies<Integer> I = VectorSpecies.of(int.class, F.vectorShape());

    /** Whether {@link #B} has twice the lanes of {@link #F}. */
    public static final boolean NARROW = F.length() < 8;

    /** Bytes for one vector of floats, or for two where {@link #NARROW}. */
    public static final VectorSpecies<Byte> B = F.length() == 16 ? ByteVector.SPECIES_128 : ByteVector.SPECIES_64;

    /** The same bits as {@link #B} in ints, for shifts, which bytes do not have. */
    static final VectorSpecies<Integer> BYTES_AS_INTS = F.length() == 16 ? IntVector.SPECIES_128 : IntVector.SPECIES_64;

    /** Shorts for one vector of floats. */
    public static final VectorSpecies<Short> S = F.length() == 16
            ? ShortVector.SPECIES_256
            : F.length() == 8 ? ShortVector.SPECIES_128 : ShortVector.SPECIES_64;

    /** The floats that the bytes of {@link #B} become. */
    public static final int STEP = B.length();

    /** The bytes of one vector of floats. */
    public static final int F_BYTES = F.vectorByteSize();

    /** In each lane of ints the bit that has the number of the lane. */
    public static final IntVector BIT_OF_LANE = IntVector.broadcast(I, 1)
            .lanewise(VectorOperators.LSHL, IntVector.zero(I).addIndex(1));

    // The classes of vectors of these widths. Where one is loaded from memory or comes out of a conversion, the
    // compiler goes by what the JDK's method has met before, from anywhere in the process. That is mostly right for the
    // widest vectors and not at all for bytes, of which there are several widths; a cast to its class says it.
    public static final Class<? extends Vector<Float>> FLOATS = F.vectorType();
    public static final Class<? extends Vector<Integer>> INTS = I.vectorType();
    public static final Class<? extends Vector<Short>> SHORTS = S.vectorType();
    public static final Class<? extends Vector<Byte>> BYTES = B.vectorType();
    public static final Class<? extends Vector<Integer>> WORDS = BYTES_AS_INTS.vectorType();

    private Lanes() {}
}
