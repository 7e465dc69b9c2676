package dev.stowage.cpu.kernel;

/** Floats as they are: copies them. */
final class FloatEncoder extends RowEncoder {

    @Override
    public void encode(long from, long to, long elements) {
        Memory.copy(from, to, elements * Float.BYTES);
    }
}
