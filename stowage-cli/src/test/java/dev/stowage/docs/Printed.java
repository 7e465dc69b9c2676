package dev.stowage.docs;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Collects the output of code that prints, as the code of pages does. */
final class Printed {

    private Printed() {}

    /** The output of code that prints to a stream. */
    static String to(Consumer<PrintStream> code) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        code.accept(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** The output of code that prints to standard output. */
    static String by(Runnable code) {
        PrintStream console = System.out;
        return to(out -> {
            try {
                System.setOut(out);
                code.run();
            } finally {
                System.setOut(console);
            }
        });
    }
}
