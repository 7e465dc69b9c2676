package dev.stowage.cpu.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** GNU's assembler, the measure of ours: bytes from lines of text. */
final class GnuAssembler {

    private GnuAssembler() {}

    /** Whether binutils is installed. */
    static boolean isInstalled() {
        return isOnPath("as") && isOnPath("objcopy") && isOnPath("objdump");
    }

    private static boolean isOnPath(String program) {
        String path = System.getenv("PATH");
        for (String folder : path == null ? new String[0] : path.split(":", -1)) {
            if (Files.isExecutable(Path.of(folder, program))) {
                return true;
            }
        }
        return false;
    }

    /** The code of some lines. */
    static byte[] assemble(List<String> lines, Path folder) throws IOException, InterruptedException {
        Path source = folder.resolve("lines.s");
        Path object = folder.resolve("lines.o");
        Path binary = folder.resolve("lines.bin");
        List<String> all = new ArrayList<>(List.of(".intel_syntax noprefix"));
        all.addAll(lines);
        Files.write(source, all);
        run("as", "--64", "-o", object.toString(), source.toString());
        run("objcopy", "-O", "binary", "-j", ".text", object.toString(), binary.toString());
        return Files.readAllBytes(binary);
    }

    /** What a disassembler makes of code. */
    static String disassemble(byte[] code, Path folder) throws IOException, InterruptedException {
        Path binary = folder.resolve("code.bin");
        Files.write(binary, code);
        return run("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", binary.toString());
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("binutils", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(2, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new IOException(command[0] + " does not end");
            }
            String text = Files.readString(output);
            if (process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + " failed:\n" + text);
            }
            return text;
        } finally {
            Files.delete(output);
        }
    }
}
