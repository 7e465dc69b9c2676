package dev.stowage.cuda.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompiledCacheTest {

    @TempDir
    private Path folder;

    private Path sources;
    private Path kernel;
    private CompiledCache cache;
    private final List<String> compiled = new ArrayList<>();

    @BeforeEach
    void writeSources() throws IOException {
        sources = Files.createDirectory(folder.resolve("sources"));
        kernel = write("kernel.cu", "#include \"outer.cuh\"\nkernel");
        write("outer.cuh", "#include \"inner.cuh\"\nouter");
        write("inner.cuh", "#include \"outer.cuh\"\ninner"); // a cycle, as the compiler stops at #pragma once
        write("other.cuh", "other");
        cache = new CompiledCache(sources, folder.resolve("cache"));
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(sources.resolve(name), text);
    }

    private Nvrtc.Code get(String architecture) throws IOException {
        return cache.get(kernel, architecture, text -> {
            compiled.add(architecture);
            return new Nvrtc.Code(new byte[] {1, 2, (byte) compiled.size()}, "ptx of " + text);
        });
    }

    @Test
    void compilesOnce() throws IOException {
        Nvrtc.Code first = get("sm_80");
        Nvrtc.Code second = get("sm_80");

        assertThat(compiled).hasSize(1);
        assertThat(second.cubin()).isEqualTo(first.cubin());
        assertThat(second.ptx()).isEqualTo(first.ptx());
    }

    @Test
    void isFoundByALaterRun() throws IOException {
        get("sm_80");
        cache = new CompiledCache(sources, folder.resolve("cache"));
        get("sm_80");

        assertThat(compiled).hasSize(1);
    }

    @Test
    void keepsArchitecturesApart() throws IOException {
        get("sm_80");
        get("sm_90a");

        assertThat(compiled).containsExactly("sm_80", "sm_90a");
    }

    @Test
    void compilesAgainAfterAChangeOfTheSource() throws IOException {
        get("sm_80");
        write("kernel.cu", "#include \"outer.cuh\"\nkernel 2");

        assertThat(get("sm_80").ptx()).contains("kernel 2");
        assertThat(compiled).hasSize(2);
    }

    @Test
    void compilesAgainAfterAChangeOfWhatIsIncludedIndirectly() throws IOException {
        get("sm_80");
        write("inner.cuh", "inner 2");
        get("sm_80");

        assertThat(compiled).hasSize(2);
    }

    @Test
    void ignoresWhatIsNotIncluded() throws IOException {
        get("sm_80");
        write("other.cuh", "other 2");
        get("sm_80");

        assertThat(compiled).hasSize(1);
    }

    @Test
    void keepsNothingOfACompilationThatFails() throws IOException {
        assertThatThrownBy(() -> cache.get(kernel, "sm_80", _ -> {
                    throw new IllegalArgumentException("syntax error");
                }))
                .hasMessage("syntax error");

        get("sm_80");
        assertThat(compiled).hasSize(1);
    }
}
