package dev.stowage.llm.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Grammars in GBNF: what they mean, and what is wrong with them. */
class GbnfTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "root ::= \"yes\"                         | yes   | no",
                "root ::= [a-c]+                          | abcab | abd",
                "root ::= [^a-c]                          | z     | a",
                "root ::= [^\\x00-\\x7F]                  | é     | e",
                "root ::= \"\\x41\\u00e9\\U0001F600\"     | Aé😀  | Aé",
                "root ::= [\\]\\[\\\\-]+                  | []\\- | a",
                "root ::= [a-]+                           | a-a   | b",
                "root ::= .                               | 語    | ab",
                "root ::= \"a\"? \"b\"* \"c\"+            | bbcc  | ab",
                "root ::= \"a\"{3}                        | aaa   | aa",
                "root ::= \"a\"{2,}                       | aaaaa | a",
                "root ::= \"a\"{2,3}                      | aaa   | aaaa",
                "root ::= \"a\"{0,2} \"b\"                | aab   | aaab",
                "root ::= (\"a\" [0-9]){1,2}              | a1a2  | a1a2a3",
                "root ::= x-1 y_2  # names                | pq    | p",
                "root ::= list                            | 1,2,3 | 1,",
                "root ::= pair                            | (())  | (()",
            })
    void aTextConformsOrDoesNot(String rule, String conforms, String other) {
        Grammar grammar = Grammar.gbnf(rule + """

                x-1 ::= "p"
                y_2 ::= "q"
                list ::= [0-9] ("," list)?   # recursion at the end
                pair ::= ("(" pair ")")? | "unused"
                """);
        assertThat(grammar.matches(conforms)).as(conforms).isTrue();
        assertThat(grammar.matches(other)).as(other).isFalse();
    }

    @Test
    void alternativesAndGroupsGoOverSeveralLines() {
        Grammar grammar = Grammar.gbnf("""
                # a comment
                root ::= (
                    "a" # another
                    | "b"
                ) rest
                rest ::= "1"
                       | "2"
                       |
                """);
        assertThat(grammar.matches("a1")).isTrue();
        assertThat(grammar.matches("b2")).isTrue();
        assertThat(grammar.matches("b")).isTrue();
        assertThat(grammar.matches("c")).isFalse();
    }

    @Test
    void ambiguityIsNoProblem() {
        Grammar grammar = Grammar.gbnf("""
                root ::= "a" root "b" | "a" root "c" | "a" root | word*
                word ::= "a" | "aa" | "a" word
                """);
        assertThat(grammar.matches("a".repeat(200) + "bc".repeat(20))).isTrue();
        assertThat(grammar.matches("a".repeat(3) + "bc".repeat(2))).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "root ::= \"a                     | line 1, column 10 | no closing quote",
                "root ::= [a-                     | line 1, column 10 | no closing ']'",
                "root ::= [z-a]                   | line 1, column 11 | whose end comes before",
                "root ::= \"\\q\"                 | line 1, column 11 | backslash",
                "root ::= \"\\uD800\"             | line 1, column 11 | not a Unicode character",
                "root ::= (\"a\"                  | line 1, column 10 | no closing ')'",
                "root ::= \"a\")                  | line 1, column 13 | expected the end of the rule",
                "root ::= \"a\"{3,2}              | line 1, column 13 | at least 3 and at most 2",
                "root ::= \"a\"{x}                | line 1, column 14 | number of repetitions",
                "root ::= \"a\"{99999999}         | line 1, column 14 | repetitions",
                "root ::= other                   | line 1, column 10 | no rule 'other'",
                "root = \"a\"                     | line 1, column 6  | '::='",
                "other ::= \"a\"                  | of the grammar    | no rule 'root'",
                "root ::= <[7]>                   | line 1, column 10 | not supported",
                "root ::= *                       | line 1, column 10 | expected a literal",
                "root ::= (root \"a\")? \"b\"      | rule 'root'       | left recursion",
                "root ::= \"a\" root              | rule 'root'       | no finite text",
                "root ::= ([ab] [cd]){900000}     | rule 'root'       | too large",
            })
    void whatIsWrongIsNamedWithItsPlace(String text, String place, String problem) {
        assertThatThrownBy(() -> Grammar.gbnf(text))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining(place)
                .hasMessageContaining(problem);
    }

    @Test
    void ruleThatIsThereTwice() {
        assertThatThrownBy(() -> Grammar.gbnf("root ::= \"a\"\n  root ::= \"b\""))
                .hasMessageContaining("line 2, column 3")
                .hasMessageContaining("twice");
    }

    @Test
    void leftRecursionThroughOtherRulesIsRefused() {
        assertThatThrownBy(() -> Grammar.gbnf("root ::= a \"x\" | \"y\"\na ::= \"q\"? b\nb ::= root \"z\" | \"w\""))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("left recursion");
    }
}
