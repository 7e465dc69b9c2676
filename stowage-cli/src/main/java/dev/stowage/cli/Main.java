package dev.stowage.cli;

/** Entry point of the {@code stowage} command; {@link StowageCommand} says what there is to run. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(StowageCommand.execute(StowageCommand.commandLine(), args));
    }
}
