package dev.stowage.gguf;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Bytes with random access: a file, or a stand-in for one in a test. */
@FunctionalInterface
interface ByteSource {

    /** Reads at least one byte into the buffer and says how many, or says -1 where there is none at the position. */
    int read(ByteBuffer target, long position) throws IOException;
}
