package dev.stowage.cpu.kernel;

/** Decodes bf16. */
final class BrainFloatDecoder extends RowDecoder {

    @Override
    public void decode(long from, long to, long elements) {
        BrainFloatKernels.toFloats(from, to, elements);
    }
}
