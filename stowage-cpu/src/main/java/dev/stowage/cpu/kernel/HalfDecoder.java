package dev.stowage.cpu.kernel;

/** Decodes f16. */
final class HalfDecoder extends RowDecoder {

    @Override
    public void decode(long from, long to, long elements) {
        HalfKernels.toFloats(from, to, elements);
    }
}
