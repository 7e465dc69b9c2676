package dev.stowage.cli.option;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** Numbers of threads as they are used: more threads than processors compute nothing faster, so there are none. */
public final class ThreadCounts {
    private ThreadCounts() {}

    /**
     * The number that is given on the command line, at most the number of processors; reports where that differs.
     *
     * @param command the command that has the option
     */
    public static int atMostProcessors(int asked, CommandSpec command) {
        int processors = Runtime.getRuntime().availableProcessors();
        if (asked > processors) {
            command.commandLine()
                    .getErr()
                    .println("--threads " + asked + ": this machine has " + processors
                            + (processors == 1 ? " processor" : " processors") + ", so " + processors + " are used");
        }
        return Math.min(asked, processors);
    }

    /** The same for several numbers, of which each is kept once. */
    public static List<Integer> atMostProcessors(List<Integer> asked, CommandSpec command) {
        return asked.stream()
                .distinct()
                .map(each -> atMostProcessors(each, command))
                .distinct()
                .toList();
    }
}
