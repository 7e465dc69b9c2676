package dev.stowage.cpu.kernel;

/** Encodes bf16. */
final class BrainFloatEncoder extends RowEncoder {

    @Override
    public void encode(long from, long to, long elements) {
        BrainFloatKernels.fromFloats(from, to, elements);
    }
}
