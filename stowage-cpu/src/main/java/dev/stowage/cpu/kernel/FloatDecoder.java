package dev.stowage.cpu.kernel;

/** Floats as they are: copies them. */
final class FloatDecoder extends RowDecoder {

    @Override
    public void decode(long from, long to, long elements) {
        Memory.copy(from, to, elements * Float.BYTES);
    }
}
