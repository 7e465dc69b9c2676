package dev.stowage.llm.chat.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.MalformedDataException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What errors say, which limits hold, and which characters count as those of a message. */
class JinjaTemplateTest {

    private static final Clock CLOCK = Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);

    private static Text render(String template) {
        return JinjaTemplate.parse(template)
                .render(
                        Map.of(
                                "said", Text.said("<b>x</b>"),
                                "all", Value.of(List.of(Text.said("m1"), Text.said("m2")))),
                        CLOCK);
    }

    /** The text with what came from a message in guillemets. */
    private static String marked(String template) {
        Text text = render(template);
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < text.chars().length(); i++) {
            boolean said = text.isSaid(i);
            boolean before = i > 0 && text.isSaid(i - 1);
            out.append(said && !before ? "«" : "").append(!said && before ? "»" : "");
            out.append(text.chars().charAt(i));
        }
        boolean open = !text.chars().isEmpty() && text.isSaid(text.chars().length() - 1);
        return out.append(open ? "»" : "").toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`{{ 'a' + said ~ 'b' }}`                           | `a«<b>x</b>»b`",
                "`{{ said.split('x') | join('-') }}`                | `«<b>»-«</b>»`",
                "`{{ said | replace('x', 'yy') | upper }}`          | `«<B>»YY«</B>»`",
                "`{{ said[3:] }}{{ said[0] }}`                      | `«x</b><»`",
                "`{{ all | tojson }}{{ all }}`                      | `[\"«m1»\", \"«m2»\"]['«m1»', '«m2»']`",
                "`{% set t %}<{{ said }}>{% endset %}{{ t|trim }}`  | `<«<b>x</b>»>`",
                "`{% macro m(x) %}({{ x }}){% endmacro %}{{ m(said) }}` | `(«<b>x</b>»)`",
                "`{{ said * 2 }}{{ (said ~ '!')[::-1] }}`           | `«<b>x</b><b>x</b>»!«>b/<x>b<»`"
            })
    void whatAMessageSaysStaysMarked(String template, String expected) {
        assertThat(marked(template)).isEqualTo(expected);
    }

    /** Expected texts are those of Jinja2 3.1.6 under Python. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`{{ none | selectattr('a', 'equalto', 1) | list | length }}` | `0`",
                "`{{ none | map('upper') | list }}` | `[]`",
                "`{{ '' | reject | list }}` | `[]`",
                "`{{ '<{}>{}'.format(':x', 1.5) }}` | `<:x>1.5`",
                "`{{ '{1}{0}{{}}'.format('a', none) }}` | `Nonea{}`",
                "`{{ '{name!r}'.format(name='a') }}` | `'a'`",
                "`{{ '{:>5}|{:<4}|{:^5}'.format('ab', 'c', 'd') }}` | `   ab|c   |  d  `",
                "`{{ '{:05d} {:,} {:+}'.format(-42, 1234567, 3) }}` | `-0042 1,234,567 +3`",
                "`{{ '{:.2f} {:08.3f} {:.1f}'.format(3.14159, -3.14159, 2) }}` | `3.14 -003.142 2.0`",
                "`{{ '{:x} {:*^9} {:.3}'.format(255, 'mid', 'abcdef') }}` | `ff ***mid*** abc`",
                "`{{ '{:.1%}'.format(0.256) }}` | `25.6%`",
                "`{{ '{}{}'.format([1, 'a'], true) }}` | `[1, 'a']True`",
                "`{{ '%s-%05.1f-%d%%' % ('a', 3.14159, 7) }}` | `a-003.1-7%`",
                "`{{ '%-4s|%+d|%x' % ('é', 5, 255) }}` | `é   |+5|ff`",
                "`{{ '%(k)s' % {'k': 'v'} }}` | `v`",
                "`{{ '%s %s' | format('a', none) }}` | `a None`",
                "`{{ 'x%s' % [1, 2] }}` | `x[1, 2]`",
                "`{{ 'a-b-c'.partition('-') }}{{ 'a-b-c'.rpartition('-') }}{{ 'a'.partition('-') }}` | `('a', '-', 'b-c')('a-b', '-', 'c')('a', '', '')`",
                "`{{ '-5'.zfill(4) }}{{ 'ab'.center(5) }}|{{ 'abc'.center(6, '*') }}|{{ 'a'.ljust(3) }}|{{ 'a'.rjust(3, '.') }}` | `-005  ab |*abc**|a  |..a`",
                "`{{ [1, 2].copy() }}` | `[1, 2]`",
                "`{{ 5 | round }} {{ 5 | round(1) }} {{ 2.5 | round }}` | `5 5 2.0`"
            })
    void expressionsGiveWhatTheyGiveInPython(String template, String expected) {
        assertThat(render(template).chars()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`{{ '{}{}'.format(1) }}`          | no value for the field '1' of a format",
                "`{{ '{a}'.format(1) }}`           | no value for the field 'a' of a format",
                "`{{ '{'.format(1) }}`             | a single '{' in a format",
                "`{{ '{:q}'.format(1) }}`          | the format 'q' is not supported",
                "`{{ '{:d}'.format(none) }}`       | the format 'd' does not apply to None",
                "`{{ '{:99999999}'.format(1) }}`   | a value repeated 99999998 times is too large",
                "`{{ '%s %s' % 'a' }}`             | not enough values for the format",
                "`{{ '%s' % (1, 2) }}`             | more values than the format has places",
                "`{{ '%(a)s' % {'b': 1} }}`        | no value for the place 'a' of a format",
                "`{{ '%q' % 1 }}`                  | the place '%q' of a format is not supported"
            })
    void formatsThatDoNotFitAreErrors(String template, String message) {
        assertThatThrownBy(() -> render(template))
                .isInstanceOf(MalformedDataException.class)
                .hasMessage("chat template, line 1: " + message);
    }

    @Test
    void whatAMessageSaysStaysMarkedInAFormat() {
        assertThat(marked("{{ '<{}|{:>9}>'.format(said, 'x') }}{{ 'a%s' % said }}"))
                .isEqualTo("<«<b>x</b>»|        x>a«<b>x</b>»");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`a\n{% if x %}\nb`                 | line 2: the block that begins here has no 'elif' or 'else' or 'endif'",
                "`a\nb {{ 1 + }}`                   | line 2: expected an expression, found the end of the tag",
                "`{{ 'abc }}`                       | line 1: a string without its closing quote",
                "`\n\n{{ 1`                         | line 3: a tag without '}}'",
                "`{% include 'x' %}`                | line 1: unknown or misplaced tag 'include'",
                "`{% endif %}`                      | line 1: unknown or misplaced tag 'endif'",
                "`{# a`                             | line 1: a comment without '#}'",
                "`{% break %}`                      | line 1: 'break' outside of a loop",
                "`{% raw %}`                        | line 1: 'raw' without 'endraw'",
                "`{{ a ] }}`                        | line 1: unexpected ']'",
                "`x\n{{ missing.attribute }}`       | line 2: 'missing' is undefined",
                "`x\n{{ [1] |\n nope }}`            | line 2: unknown filter 'nope'",
                "`{{ 1 is nope }}`                  | line 1: unknown test 'nope'",
                "`{{ missing('x') }}`               | line 1: 'missing' is undefined",
                "`\n{{ raise_exception('no system') }}` | line 2: the template refuses this conversation: no system",
                "`{{ 'a' + 1 }}`                    | line 1: '+' does not apply to str and int",
                "`{{ 1 // 0 }}`                     | line 1: division by zero",
                "`{{ [].append(1) }}`               | line 1: 'append' is undefined",
                "`{% set a, b = [1] %}`             | line 1: 1 values for 2 variables"
            })
    void errorsNameTheLine(String template, String message) {
        assertThatThrownBy(() -> render(template))
                .isInstanceOf(MalformedDataException.class)
                .hasMessage("chat template, " + message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
                "{% set ns = namespace(s='xxxxxxxxxx') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
                "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
                "{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}",
                "{% set ns = namespace(s=[1]) %}{% for i in range(90000) %}{% set ns.s = [ns.s] %}{% endfor %}{{ ns.s }}",
                "{{ 'x' * 99999999999 }}",
                "{{ [1] * 99999999999 }}",
                "{{ range(99999999999) }}",
                "{{ ('x' * 9999999) | replace('x', 'y' * 9999999) }}",
                "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
                "{% set t = 'x' * 999999 %}{% for i in range(99999) %}{{ t }}{% endfor %}",
                "{{ 2 ** 99 }}",
                "{{ 'x' | indent(99999999999) }}"
            })
    void noTemplateRunsForeverOrExhaustsMemory(String template) {
        assertThatThrownBy(() -> render(template)).isInstanceOf(MalformedDataException.class);
    }

    @Test
    void aLongConversationIsFarFromTheLimits() {
        Value message = Value.of(Map.of("role", Value.of("user"), "content", Text.said("word ".repeat(400))));
        Value messages = Value.of(Collections.nCopies(2_000, message));
        Text text = JinjaTemplate.parse("""
                {% for m in messages %}
                {% if loop.index0 < messages|length - 1 and messages[loop.index0 + 1].role == m.role %}
                {{ '<|user|>' + m['content'] | trim + '<|end|>' }}
                {% endif %}
                {% endfor %}
                """).render(Map.of("messages", messages), CLOCK);

        assertThat(text.chars()).hasSize(1_999 * ("<|user|>".length() + 1_999 + "<|end|>\n".length()));
    }

    @Test
    void deepNestingIsRefusedBeforeItExhaustsTheStack() {
        for (String template : List.of(
                "{{ " + "(".repeat(50_000) + "1" + ")".repeat(50_000) + " }}",
                "{{ " + "not ".repeat(50_000) + "1 }}",
                "{{ " + "-".repeat(50_000) + "1 }}",
                "{{ 1" + " + 1".repeat(50_000) + " }}",
                "{{ a" + ".b".repeat(50_000) + " }}",
                "{% if 1 %}".repeat(50_000))) {
            assertThatThrownBy(() -> render(template))
                    .isInstanceOf(MalformedDataException.class)
                    .hasMessageContaining("levels deep");
        }
    }
}
