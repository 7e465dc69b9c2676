package dev.stowage.bench.llm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LlamaLibraryTest {

    @Test
    void aFolderWithoutTheLibrariesIsRefused(@TempDir Path folder) {
        assertThatThrownBy(() -> LlamaLibrary.open(folder))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("libggml.so")
                .hasMessageContaining(folder.toString());
    }

    @Test
    void aFolderThatIsNotThereIsRefused(@TempDir Path folder) {
        assertThatThrownBy(() -> LlamaLibrary.open(folder.resolve("missing")))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("missing");
    }
}
