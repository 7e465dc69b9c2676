package dev.stowage.cli;

import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** One run of the command within the test's own process: its exit code and what it printed. */
public record CommandRun(int exitCode, String out, String err) {
    public static CommandRun of(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = StowageCommand.execute(
                StowageCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err)), args);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }

    public List<String> outLines() {
        return out.lines().toList();
    }

    public List<String> errLines() {
        return err.lines().toList();
    }

    public JsonCursor json() {
        return JsonReader.parse(out).cursor();
    }
}
