package dev.stowage.llm.tokenizer;

import dev.stowage.error.MalformedDataException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The bytes of text that each token stands for, all in one array, so that reading them makes no garbage. */
final class TokenPieces {

    private final byte[] bytes;
    private final int[] ends;

    private TokenPieces(byte[] bytes, int[] ends) {
        this.bytes = bytes;
        this.ends = ends;
    }

    static TokenPieces of(Vocabulary vocabulary, Encoder encoder) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int[] ends = new int[vocabulary.size()];
        for (int id = 0; id < ends.length; id++) {
            String text = vocabulary.text(id);
            switch (vocabulary.type(id)) {
                case NORMAL -> all.writeBytes(encoder.bytes(text));
                case CONTROL, UNKNOWN, USER_DEFINED -> all.writeBytes(text.getBytes(StandardCharsets.UTF_8));
                case BYTE -> all.write(namedByte(text, id));
                case UNUSED, UNDEFINED -> {}
            }
            ends[id] = all.size();
        }
        return new TokenPieces(all.toByteArray(), ends);
    }

    private static int namedByte(String text, int id) {
        if (text.length() == 6
                && text.startsWith("<0x")
                && text.endsWith(">")
                && HexFormat.isHexDigit(text.charAt(3))
                && HexFormat.isHexDigit(text.charAt(4))) {
            return HexFormat.fromHexDigits(text, 3, 5);
        }
        throw new MalformedDataException("key '" + TokenizerKeys.TOKENS + "': token " + id + ", '" + text
                + "', is a byte by '" + TokenizerKeys.TYPES + "', but is not written like <0x0A>");
    }

    int start(int id) {
        return id == 0 ? 0 : ends[id - 1];
    }

    int end(int id) {
        return ends[id];
    }

    /** All pieces one after the other; not to be changed. */
    byte[] bytes() {
        return bytes;
    }
}
