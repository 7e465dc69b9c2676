package dev.stowage.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.gguf.GgufContents;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedModelTest {
    private static final byte[] CONTENT = "not really a model".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path folder;

    private Path cache;
    private URL packed;

    @BeforeEach
    void packSomething() throws IOException {
        cache = folder.resolve("cache").resolve("stowage");
        Path jar = folder.resolve("packed.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            zip.putNextEntry(new ZipEntry("model.gguf"));
            zip.write(CONTENT);
            zip.closeEntry();
        }
        packed = URI.create("jar:" + jar.toUri() + "!/model.gguf").toURL();
    }

    private Path unpack() throws IOException {
        return EmbeddedModel.unpacked(packed, Optional.of(cache));
    }

    private List<Path> kept() throws IOException {
        try (var files = Files.list(cache)) {
            return files.toList();
        }
    }

    @Test
    void isTheModelThatWritesDictionaryEntries() {
        GgufContents contents = GgufContents.read(EmbeddedModel.file());

        assertThat(contents.metadata().architecture()).isEqualTo("llama");
    }

    @Test
    void isUnpackedIntoTheCache() throws IOException {
        Path file = unpack();

        assertThat(file).hasBinaryContent(CONTENT);
        assertThat(kept()).containsExactly(file);
    }

    @Test
    void isUnpackedOnce() throws IOException {
        Path file = unpack();
        Object before = Files.readAttributes(file, "unix:ino,lastModifiedTime");

        assertThat(unpack()).isEqualTo(file);
        assertThat((Object) Files.readAttributes(file, "unix:ino,lastModifiedTime"))
                .isEqualTo(before);
    }

    @Test
    void aFileThatWasChangedIsReplaced() throws IOException {
        byte[] changed = CONTENT.clone();
        changed[3]++;
        Files.write(unpack(), changed);

        assertThat(unpack()).hasBinaryContent(CONTENT);
    }

    @Test
    void aFileThatWasCutShortIsReplaced() throws IOException {
        Files.write(unpack(), new byte[] {CONTENT[0]});

        assertThat(unpack()).hasBinaryContent(CONTENT);
        assertThat(kept()).hasSize(1);
    }

    @Test
    void aCacheThatCannotBeMadeDoesNotKeepItFromRunning() throws IOException {
        Files.writeString(folder.resolve("cache"), "a file where a folder should be");

        Path file = unpack();

        assertThat(file).hasBinaryContent(CONTENT);
        assertThat(file.startsWith(folder)).isFalse();
        Files.delete(file);
    }

    @Test
    void withoutAHomeThereIsACopyForThisProcess() throws IOException {
        Path file = EmbeddedModel.unpacked(packed, Optional.empty());

        assertThat(file).hasBinaryContent(CONTENT);
        Files.delete(file);
    }

    @Test
    void manyThatStartAtOnceAllGetTheWholeFile() throws IOException, InterruptedException, ExecutionException {
        List<Future<byte[]>> seen = new ArrayList<>();
        try (ExecutorService starts = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < 32; i++) {
                seen.add(starts.submit(() -> Files.readAllBytes(unpack())));
            }
        }
        for (Future<byte[]> each : seen) {
            assertThat(each.get()).isEqualTo(CONTENT);
        }
        assertThat(kept()).hasSize(1);
    }
}
