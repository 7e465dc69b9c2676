package dev.stowage.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFilesTest {
    @TempDir
    private Path folder;

    @Test
    void nothingIsSeenOfAFileBeforeAllAreComplete() {
        Path file = folder.resolve("a");
        try (OutputFiles files = new OutputFiles()) {
            files.add("new", file, "words");
            assertThat(file).doesNotExist();
            files.publish();
        }
        assertThat(file).hasContent("new");
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void whatIsNotPublishedIsGone() {
        try (OutputFiles files = new OutputFiles()) {
            files.add("new", folder.resolve("a"), "words");
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void whatWasThereIsReplacedAsAWhole() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "old and longer");
        OutputFiles.write("new", file, "words");
        assertThat(file).hasContent("new");
    }

    @Test
    void aLinkStaysALink() throws IOException {
        Path file = Files.writeString(folder.resolve("a"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        OutputFiles.write("new", link, "words");
        assertThat(link).isSymbolicLink();
        assertThat(file).hasContent("new");
    }

    @Test
    void ifTheSecondFileFailsTheFirstStaysAsItWas() throws IOException {
        Path first = Files.writeString(folder.resolve("a"), "old");
        Path second = folder.resolve("missing").resolve("b");
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> {
                    try (OutputFiles files = new OutputFiles()) {
                        files.add("new", first, "words");
                        files.add("new", second, "words");
                        files.publish();
                    }
                })
                .withMessageContaining("cannot write words to " + second);
        assertThat(first).hasContent("old");
        assertThat(folder).isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void aDirectoryIsNotReplaced() {
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> OutputFiles.write("new", folder, "words"))
                .withMessageContaining("it is a directory");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void whatAKilledProcessHasLeftIsDeletedByTheNext() throws IOException {
        // No process has so large a number.
        Path abandoned = Files.writeString(folder.resolve("out.csv.999999999.part"), "half");
        Path running = Files.writeString(
                folder.resolve("out.csv." + ProcessHandle.current().pid() + "-1.part"), "being written");
        Path other = Files.writeString(folder.resolve("other.csv.999999999.part"), "half");

        OutputFiles.write("whole", folder.resolve("out.csv"), "the offsets");

        assertThat(abandoned).doesNotExist();
        assertThat(running).exists();
        assertThat(other).exists();
    }
}
