package dev.stowage.cpu.kernel.codec;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.machine.row.RowKernels;
import dev.stowage.cpu.machine.row.RowSupport;
import dev.stowage.cpu.machine.row.RowType;
import java.util.Optional;

/**
 * The decoders and encoders of f32, f16 and bf16. Each is a class of its own, so that calls of it can be inlined. Halves are
 * converted by machine code where there is some, up to the last few.
 */
final class FloatCodecs {

    /** Fewer elements are converted before a call has begun. */
    private static final long WORTH_A_CALL = 64;

    /** So many elements take some ten microseconds, for which no safepoint can be reached. */
    private static final long ELEMENTS_OF_A_CALL = 1 << 18;

    private static final Optional<RowKernels> CODE = RowSupport.kernels(RowKernels.LANES);

    private FloatCodecs() {}

    /** Converts as many elements as machine code can; how many those are. */
    private static long convert(
            RowKernels.Conversion conversion, long from, int fromBytes, long to, int toBytes, long elements) {
        long whole = elements - elements % RowKernels.LANES;
        for (long at = 0; at < whole; at += ELEMENTS_OF_A_CALL) {
            int count = (int) Math.min(ELEMENTS_OF_A_CALL, whole - at);
            conversion.convert(from + at * fromBytes, 0, to + at * toBytes, 0, 1, count, 0);
        }
        return whole;
    }

    /** Decodes f32, as it is. */
    static final class FloatDecoder extends RowDecoder {

        @Override
        public void decode(long from, long to, long elements) {
            Memory.copy(from, to, elements * Float.BYTES);
        }
    }

    /** Encodes f32, as it is. */
    static final class FloatEncoder extends RowEncoder {

        @Override
        public void encode(long from, long to, long elements) {
            Memory.copy(from, to, elements * Float.BYTES);
        }
    }

    /** Decodes f16. */
    static final class HalfDecoder extends RowDecoder {

        @Override
        public void decode(long from, long to, long elements) {
            long done = 0;
            if (elements >= WORTH_A_CALL && CODE.isPresent()) {
                done = convert(CODE.get().toFloats(RowType.F16), from, Short.BYTES, to, Float.BYTES, elements);
            }
            HalfKernels.toFloats(from + done * Short.BYTES, to + done * Float.BYTES, elements - done);
        }
    }

    /** Encodes f16. */
    static final class HalfEncoder extends RowEncoder {

        @Override
        public void encode(long from, long to, long elements) {
            long done = 0;
            if (elements >= WORTH_A_CALL && CODE.isPresent()) {
                done = convert(CODE.get().toHalves(), from, Float.BYTES, to, Short.BYTES, elements);
            }
            HalfKernels.fromFloats(from + done * Float.BYTES, to + done * Short.BYTES, elements - done);
        }
    }

    /** Decodes bf16. */
    static final class BrainFloatDecoder extends RowDecoder {

        @Override
        public void decode(long from, long to, long elements) {
            BrainFloatKernels.toFloats(from, to, elements);
        }
    }

    /** Encodes bf16. */
    static final class BrainFloatEncoder extends RowEncoder {

        @Override
        public void encode(long from, long to, long elements) {
            BrainFloatKernels.fromFloats(from, to, elements);
        }
    }
}
