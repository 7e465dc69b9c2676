package dev.stowage.llm.grammar;

/**
 * The rules of JSON that all schemas share. They allow less than JSON does, so that a model cannot go on for ever without saying
 * anything: white space is one blank, or a line and up to twenty blanks, numbers fit in a double, and halves of surrogate pairs
 * do not come alone.
 */
final class JsonRules {

    static final String OBJECT = "object";
    static final String ARRAY = "array";
    static final String VALUE = "value";
    static final String STRING = "string";
    static final String CHARACTER = "char";
    static final String NUMBER = "number";
    static final String INTEGER = "integer";
    static final String SPACE = "space";

    private static final String TEXT = """
            root    ::= value
            value   ::= object | array | string | number | "true" | "false" | "null"
            object  ::= "{" space ( member ( "," space member )* )? "}"
            member  ::= string ":" space value space
            array   ::= "[" space ( value space ( "," space value space )* )? "]"
            string  ::= "\\"" char* "\\""
            char    ::= [^"\\\\\\x00-\\x1F\\x7F] | "\\\\" ( ["\\\\/bfnrt] | "u" ( [0-9a-cA-CefEF] [0-9a-fA-F]{3}
                        | [dD] [0-7] [0-9a-fA-F]{2}
                        | [dD] [89abAB] [0-9a-fA-F]{2} "\\\\u" [dD] [c-fC-F] [0-9a-fA-F]{2} ) )
            number  ::= "-"? ( "0" | [1-9] [0-9]{0,14} ) ( "." [0-9]{1,15} )? ( [eE] [-+]? [0-9]{1,2} )?
            integer ::= "0" | "-"? [1-9] [0-9]{0,14}
            space   ::= ( " " | "\\n" indent )?
            indent  ::= [ \\t]{0,20}
            """;

    private JsonRules() {}

    /** The rules, without a rule for whole texts. */
    static RuleSet all() {
        RuleSet rules = new RuleSet();
        GbnfParser.parse(TEXT).all().forEach((name, rule) -> {
            if (!name.equals(RuleSet.ROOT)) {
                rules.add(name, rule.body(), "JSON");
            }
        });
        return rules;
    }
}
