package dev.stowage.gguf;

import dev.stowage.error.MalformedDataException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Strings as GGUF has them, which are UTF-8 and nothing else. */
final class Utf8 {

    private Utf8() {}

    /** The bytes of a string. */
    static byte[] encode(String text, String what) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new MalformedDataException(what + " has half of a surrogate pair, which UTF-8 cannot write", e);
        }
    }

    /**
     * The index at which the first character begins that is none, or -1. Makes no string and nothing else, because
     * there may be hundreds of thousands to check before a model can be used.
     */
    static int firstWrong(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to) {
            int length = bytes[i] >= 0 ? 1 : lengthAt(bytes, i, to);
            if (length == 0) {
                return i;
            }
            i += length;
        }
        return -1;
    }

    /** The bytes of the character that begins at {@code i}, which is not ASCII, or 0 if none does. */
    private static int lengthAt(byte[] bytes, int i, int to) {
        int lead = Byte.toUnsignedInt(bytes[i]);
        int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (lead < 0xC2 || lead > 0xF4 || to - i < length) {
            return 0;
        }
        // Longer than needed, half of a surrogate pair, beyond the last character: the second byte shows all of these.
        int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        int second = Byte.toUnsignedInt(bytes[i + 1]);
        if (second < least || second > most) {
            return 0;
        }
        for (int k = 2; k < length; k++) {
            if ((bytes[i + k] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }
}
