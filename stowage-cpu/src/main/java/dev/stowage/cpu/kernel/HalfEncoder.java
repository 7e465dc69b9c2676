package dev.stowage.cpu.kernel;

/** Encodes f16. */
final class HalfEncoder extends RowEncoder {

    @Override
    public void encode(long from, long to, long elements) {
        HalfKernels.fromFloats(from, to, elements);
    }
}
