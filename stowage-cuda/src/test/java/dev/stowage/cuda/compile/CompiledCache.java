package dev.stowage.cuda.compile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compiled code by what it was compiled from: a source, everything it includes, and the architecture. */
final class CompiledCache {

    private static final Pattern INCLUDE = Pattern.compile("^\\s*#\\s*include\\s+\"([^\"]+)\"", Pattern.MULTILINE);

    private final Path sources;
    private final Path folder;

    CompiledCache(Path sources, Path folder) {
        this.sources = sources;
        this.folder = folder;
    }

    /** The code of a file for an architecture, compiled if it is not here. */
    Nvrtc.Code get(Path file, String architecture, Function<String, Nvrtc.Code> compiler) throws IOException {
        String text = Files.readString(file);
        String digest = digest(text, architecture);
        Path cubin = folder.resolve(digest + ".cubin");
        Path ptx = folder.resolve(digest + ".ptx");
        if (Files.exists(cubin)) {
            return new Nvrtc.Code(Files.readAllBytes(cubin), Files.readString(ptx));
        }
        Nvrtc.Code code = compiler.apply(text);
        Files.createDirectories(folder);
        Files.writeString(ptx, code.ptx());
        Path written = Files.createTempFile(folder, "code", null);
        Files.write(written, code.cubin());
        Files.move(written, cubin, StandardCopyOption.ATOMIC_MOVE);
        return code;
    }

    private String digest(String text, String architecture) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(architecture.getBytes(StandardCharsets.UTF_8));
            digest.update(text.getBytes(StandardCharsets.UTF_8));
            Set<String> included = new LinkedHashSet<>();
            include(text, included);
            for (String name : included) {
                digest.update(name.getBytes(StandardCharsets.UTF_8));
                digest.update(Files.readAllBytes(sources.resolve(name)));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void include(String text, Set<String> included) throws IOException {
        Matcher matcher = INCLUDE.matcher(text);
        while (matcher.find()) {
            if (included.add(matcher.group(1))) {
                include(Files.readString(sources.resolve(matcher.group(1))), included);
            }
        }
    }
}
