package dev.stowage.cli.run;

import dev.stowage.cli.text.LiveProgress;
import dev.stowage.error.AllocationException;
import dev.stowage.error.RunException;
import dev.stowage.llm.Conversation;
import dev.stowage.llm.Generation;
import dev.stowage.llm.GenerationOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A conversation line by line: what is typed goes to the model, and its answer appears as it is made. Lines that begin with a
 * slash are for the program. Answers go to the output, all else to the error stream, so that answers can be kept in a file.
 */
final class ChatLoop {

    private static final String HELP = "/clear forgets what was said, /exit or Ctrl-D ends, Ctrl-C stops an answer.";

    private final Conversation conversation;
    private final Optional<String> instruction;
    private final GenerationOptions options;
    private final Interrupt interrupt;
    private final TokenPrinter out;
    private final Supplier<LiveProgress> reading;
    private final PrintWriter err;

    ChatLoop(
            Conversation conversation,
            Optional<String> instruction,
            GenerationOptions options,
            Interrupt interrupt,
            TokenPrinter out,
            Supplier<LiveProgress> reading,
            PrintWriter err) {
        this.conversation = conversation;
        this.instruction = instruction;
        this.options = options.withStop(() -> interrupt.isRaised() || out.isClosed());
        this.interrupt = interrupt;
        this.out = out;
        this.reading = reading;
        this.err = err;
        instruction.ifPresent(conversation::instruct);
    }

    /** Runs until the end of the input, and adds every answer to a report. */
    void run(Optional<String> opening, ChatLines lines, RunReport report) throws IOException {
        err.println(HELP);
        opening.ifPresent(said -> answer(said, report));
        while (!out.isClosed()) {
            err.flush();
            Optional<String> line = lines.next();
            if (line.isEmpty()) {
                return;
            }
            switch (line.get().strip()) {
                case "" -> {}
                case "/exit", "/quit" -> {
                    return;
                }
                case "/clear" -> clear();
                case String word when word.startsWith("/") && word.indexOf(' ') < 0 -> err.println(HELP);
                default -> answer(line.get(), report);
            }
        }
    }

    private void clear() {
        conversation.clear();
        instruction.ifPresent(conversation::instruct);
    }

    private void answer(String said, RunReport report) {
        interrupt.answering(true);
        try (LiveProgress progress = reading.get()) {
            out.before(progress::close);
            Generation answer = TemplateAdvice.advising(() -> conversation.say(said, options, out));
            out.end(answer);
            report.add(answer);
            if (answer.end() == Generation.End.CONTEXT_FULL) {
                err.println("(the context is full: /clear begins anew, and --ctx gives it more room)");
            }
        } catch (RunException e) {
            if (!interrupt.isRaised()) {
                throw e;
            }
            out.end();
        } catch (AllocationException e) {
            err.println("stowage: " + e.getMessage() + "; /clear begins anew");
        } finally {
            interrupt.answering(false);
        }
    }
}
