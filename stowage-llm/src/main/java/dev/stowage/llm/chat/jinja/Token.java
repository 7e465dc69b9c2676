package dev.stowage.llm.chat.jinja;

/**
 * A piece of a template.
 *
 * @param text of a string or of data the characters meant, of anything else the characters written
 * @param line the line it begins in, from 1
 */
record Token(Kind kind, String text, int line) {

    enum Kind {
        DATA,
        /** Opens a tag that prints an expression. */
        PRINT,
        /** Opens a tag with a statement. */
        TAG,
        /** Closes either. */
        CLOSE,
        NAME,
        STRING,
        INTEGER,
        FLOAT,
        OPERATOR,
        END
    }

    boolean is(Kind other, String expected) {
        return kind == other && text.equals(expected);
    }

    /** The token as messages name it. */
    String described() {
        return switch (kind) {
            case END -> "the end of the template";
            case CLOSE -> "the end of the tag";
            case PRINT, TAG, DATA -> "text";
            case STRING -> "a string";
            case NAME, INTEGER, FLOAT, OPERATOR -> "'" + text + "'";
        };
    }
}
