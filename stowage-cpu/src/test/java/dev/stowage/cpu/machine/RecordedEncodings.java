package dev.stowage.cpu.machine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/**
 * Digests of the code of {@link RandomInstructions}, one per form, recorded when GNU's assembler made the same of them: for
 * machines without binutils. The main method writes the file anew; run {@link EncodingTest} before.
 */
final class RecordedEncodings {

    private static final String FILE = "encodings.txt";

    private RecordedEncodings() {}

    static List<String> now() {
        List<String> digests = new ArrayList<>();
        for (RandomInstructions form : RandomInstructions.all()) {
            MessageDigest digest = sha256();
            form.codes().forEach(digest::update);
            digests.add(form.form().name() + " " + HexFormat.of().formatHex(digest.digest(), 0, 16));
        }
        return digests;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<String> recorded() throws IOException {
        try (InputStream file = Objects.requireNonNull(RecordedEncodings.class.getResourceAsStream(FILE))) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    /** Writes the file; to be run in the directory of the module. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of("src/test/resources/dev/stowage/cpu/machine");
        Files.createDirectories(folder);
        Files.write(folder.resolve(FILE), now());
    }
}
