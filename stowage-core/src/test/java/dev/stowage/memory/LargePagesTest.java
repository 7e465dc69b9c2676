package dev.stowage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large buffers are in memory that Linux was asked to keep in large pages, as its own lists of the process show. */
class LargePagesTest {

    private static final long SIZE = LargePages.LEAST + 12_345;

    @BeforeEach
    void theSystemHasLargePages() {
        assumeThat(LargePages.areKnown()).isTrue();
        assumeThat(Path.of("/sys/kernel/mm/transparent_hugepage/enabled")).exists();
    }

    /** What the system says of the memory that an address is in. */
    private static List<String> mapping(long address) throws IOException {
        List<String> found = new ArrayList<>();
        boolean isInside = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                int dash = line.indexOf('-');
                long first = Long.parseUnsignedLong(line, 0, dash, 16);
                long end = Long.parseUnsignedLong(line, dash + 1, line.indexOf(' '), 16);
                isInside = Long.compareUnsigned(first, address) <= 0 && Long.compareUnsigned(address, end) < 0;
            }
            if (isInside) {
                found.add(line);
            }
        }
        return found;
    }

    @Test
    void theSystemIsAskedForThem() throws IOException {
        try (Buffer buffer = HostBufferType.standard().allocate(SIZE)) {
            assertThat(mapping(buffer.address())).anyMatch(line -> line.matches("VmFlags:.* hg( .*|$)"));
        }
    }

    @Test
    void everyByteIsTakenAtOnceAndNoneBesideThem() throws IOException {
        try (Buffer buffer = HostBufferType.standard().allocate(SIZE)) {
            long kilobytes = mapping(buffer.address()).stream()
                    .filter(line -> line.startsWith("Rss:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .sum();
            assertThat(kilobytes).isEqualTo(Math.ceilDiv(SIZE, 4096) * 4);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 64, 1 << 21, 1 << 23})
    void theBytesAreZerosAndBeginWhereTheyAreAskedTo(long alignment) {
        try (Buffer buffer = HostBufferType.standard().withAlignment(alignment).allocate(SIZE)) {
            assertThat(buffer.address() % alignment).isZero();
            assertThat(buffer.size()).isEqualTo(SIZE);
            MemorySegment bytes = buffer.segment();
            assertThat(bytes.byteSize()).isEqualTo(SIZE);
            try (Arena arena = Arena.ofConfined()) {
                assertThat(bytes.mismatch(arena.allocate(SIZE))).isEqualTo(-1);
            }
            bytes.set(ValueLayout.JAVA_BYTE, SIZE - 1, (byte) 7);
            assertThat(bytes.get(ValueLayout.JAVA_BYTE, SIZE - 1)).isEqualTo((byte) 7);
        }
    }

    /** The kilobytes of addresses that the process has taken. */
    private static long virtualSize() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmSize:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }

    @Test
    void closingABufferGivesTheMemoryBack() throws IOException {
        int rounds = 100;
        long before = virtualSize();
        for (int i = 0; i < rounds; i++) {
            HostBufferType.standard().allocate(SIZE).close();
        }
        assertThat(virtualSize() - before).isLessThan(rounds * SIZE / 1024 / 2);
    }

    @Test
    void smallBuffersAndThoseThatNoMachineHasAreLeftToTheJdk() {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(LargePages.allocate(LargePages.LEAST - 1, 64, arena)).isEmpty();
            assertThat(LargePages.allocate(Long.MAX_VALUE - 64, 64, arena)).isEmpty();
            assertThat(LargePages.allocate(1L << 55, 64, arena)).isEmpty();
        }
    }
}
