package dev.stowage.cpu.kernel.codec;

import dev.stowage.cpu.kernel.Memory;

/** The decoders and encoders of f32, f16 and bf16. Each is a class of its own, so that calls of it can be inlined. */
final class FloatCodecs {

    private FloatCodecs() {}

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
            HalfKernels.toFloats(from, to, elements);
        }
    }

    /** Encodes f16. */
    static final class HalfEncoder extends RowEncoder {

        @Override
        public void encode(long from, long to, long elements) {
            HalfKernels.fromFloats(from, to, elements);
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
