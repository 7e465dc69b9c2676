package dev.stowage.llm.chat.jinja;

import dev.stowage.error.MalformedDataException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A template in Jinja, parsed once and rendered any number of times, by any number of threads. The values it is
 * rendered with are data and never parsed as template code.
 */
public final class JinjaTemplate {

    private final List<Statement> statements;

    private JinjaTemplate(List<Statement> statements) {
        this.statements = statements;
    }

    /**
     * Parses a template.
     *
     * @throws MalformedDataException if it is not valid, or uses something that this interpreter does not have; the
     *     message names the line
     */
    public static JinjaTemplate parse(String source) {
        try {
            return new JinjaTemplate(StatementParser.parse(source));
        } catch (TemplateError e) {
            throw at(e.line(), e);
        }
    }

    /**
     * What the template writes.
     *
     * @param variables the variables of the template
     * @param clock what {@code strftime_now} reads
     * @throws MalformedDataException if the template fails, refuses the values with {@code raise_exception}, or exceeds
     *     the limits on steps, lengths and nesting; the message names the line
     */
    public Text render(Map<String, Value> variables, Clock clock) {
        Map<String, Value> all = new HashMap<>(Globals.all(clock));
        all.putAll(variables);
        RenderLimits limits = new RenderLimits();
        Evaluator evaluator = new Evaluator(limits);
        try {
            return new StatementRunner(limits, evaluator).write(statements, new Scope(all));
        } catch (TemplateError e) {
            throw at(e.line() > 0 ? e.line() : evaluator.line(), e);
        } catch (StackOverflowError e) {
            // Values nested too deeply to be printed or compared; what was rendered so far is dropped.
            throw at(evaluator.line(), new TemplateError("values that are nested too deeply"));
        }
    }

    private static MalformedDataException at(int line, TemplateError error) {
        return new MalformedDataException("chat template, line " + line + ": " + error.getMessage());
    }
}
