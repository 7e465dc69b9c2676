package dev.stowage.cpu;

import dev.stowage.cpu.kernel.ProcessorInfo;
import java.util.HashSet;
import java.util.Set;
import jdk.incubator.vector.FloatVector;

/** What the machine's processor is: model, cores, vectors. */
final class Processor {

    private Processor() {}

    /** The width of the vectors in use. */
    static int vectorBits() {
        return FloatVector.SPECIES_PREFERRED.vectorBitSize();
    }

    /** Model, cores and width of the vectors in use, human-readable. */
    static String description() {
        int cores = physicalCores();
        return model() + ", " + cores + (cores == 1 ? " core, " : " cores, ") + vectorBits() + "-bit vectors";
    }

    /** The number of cores, counting those that run two threads once; never more than the process may use. */
    static int physicalCores() {
        int available = Runtime.getRuntime().availableProcessors();
        Set<String> cores = new HashSet<>();
        String socket = "";
        for (String line : ProcessorInfo.lines()) {
            if (line.startsWith("physical id")) {
                socket = value(line);
            } else if (line.startsWith("core id")) {
                cores.add(socket + ":" + value(line));
            }
        }
        return cores.isEmpty() ? available : Math.min(available, cores.size());
    }

    private static String model() {
        return ProcessorInfo.lines().stream()
                .filter(line -> line.startsWith("model name"))
                .map(Processor::value)
                .findFirst()
                .orElseGet(() -> System.getProperty("os.arch") + " processor");
    }

    private static String value(String line) {
        return line.substring(line.indexOf(':') + 1).strip();
    }
}
