package dev.stowage.llm.chat.jinja;

/** An error in a template, on its way to the code that knows the line; never leaves this package. */
final class TemplateError extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int line;

    /** An error in the line that is being run. */
    TemplateError(String message) {
        this(message, 0);
    }

    /** An error in a line of the source. */
    TemplateError(String message, int line) {
        super(message, null, false, false);
        this.line = line;
    }

    /** The line, from 1; 0 if the one that is being run is meant. */
    int line() {
        return line;
    }
}
