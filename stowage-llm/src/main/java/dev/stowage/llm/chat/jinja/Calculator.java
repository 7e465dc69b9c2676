package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Value.Int;
import dev.stowage.llm.chat.jinja.Value.Real;
import dev.stowage.llm.chat.jinja.Value.Sequence;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The operators of arithmetic, of which some join or repeat texts and lists, and slices. */
final class Calculator {

    private Calculator() {}

    static Value apply(String operator, Value left, Value right) {
        if (left instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        if (right instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        if (operator.equals("%") && left instanceof Text format) {
            return Formats.percent(format, right);
        }
        if (operator.equals("+") && left instanceof Text one && right instanceof Text other) {
            return one.concat(other);
        }
        if (operator.equals("+") && left instanceof Sequence one && right instanceof Sequence other) {
            if (one.tuple() == other.tuple()) {
                List<Value> joined = new ArrayList<>(one.items());
                joined.addAll(other.items());
                return new Sequence(joined, one.tuple());
            }
        }
        if (operator.equals("*") && Operators.number(right) instanceof Int(long times) && !Operators.isNumber(left)) {
            return repeat(left, times);
        }
        if (operator.equals("*") && Operators.number(left) instanceof Int(long times) && !Operators.isNumber(right)) {
            return repeat(right, times);
        }
        if (!Operators.isNumber(left) || !Operators.isNumber(right)) {
            throw new TemplateError("'" + operator + "' does not apply to " + left.type() + " and " + right.type());
        }
        return calculate(operator, left, right);
    }

    private static Value repeat(Value value, long times) {
        if (value instanceof Text text) {
            long length = Math.max(0, times) * Math.max(1, text.chars().length());
            requireSize(times, length, Text.MAX_LENGTH);
            Text.Builder out = new Text.Builder();
            for (long i = 0; i < times; i++) {
                out.append(text);
            }
            return out.build();
        }
        if (value instanceof Sequence sequence) {
            requireSize(times, Math.max(0, times) * Math.max(1, sequence.weight()), RenderLimits.MAX_WEIGHT);
            return new Sequence(
                    Collections.nCopies((int) Math.max(0, times), sequence.items()).stream()
                            .flatMap(List::stream)
                            .toList(),
                    sequence.tuple());
        }
        throw new TemplateError("'*' does not apply to " + value.type() + " and int");
    }

    private static void requireSize(long times, long size, long limit) {
        if (times > limit || size > limit) {
            throw new TemplateError("a value repeated " + times + " times is too large");
        }
    }

    private static Value calculate(String operator, Value left, Value right) {
        boolean divides = operator.equals("/") || operator.equals("//") || operator.equals("%");
        if (divides && Operators.real(right) == 0) {
            throw new TemplateError("division by zero");
        }
        try {
            if (!operator.equals("/")
                    && Operators.number(left) instanceof Int(long one)
                    && Operators.number(right) instanceof Int(long other)) {
                return wholes(operator, one, other);
            }
        } catch (ArithmeticException e) {
            throw new TemplateError("the result of '" + operator + "' does not fit into 64 bits");
        }
        return new Real(reals(operator, Operators.real(left), Operators.real(right)));
    }

    private static Value wholes(String operator, long left, long right) {
        return switch (operator) {
            case "+" -> Value.of(Math.addExact(left, right));
            case "-" -> Value.of(Math.subtractExact(left, right));
            case "*" -> Value.of(Math.multiplyExact(left, right));
            case "//" -> Value.of(Math.floorDivExact(left, right));
            case "%" -> Value.of(Math.floorMod(left, right));
            default -> right < 0 ? new Real(Math.pow((double) left, (double) right)) : Value.of(power(left, right));
        };
    }

    private static long power(long base, long exponent) {
        long result = 1;
        if (base >= -1 && base <= 1) {
            return exponent % 2 == 0 ? (exponent == 0 ? 1 : base * base) : base;
        }
        for (long i = 0; i < exponent; i++) {
            result = Math.multiplyExact(result, base);
        }
        return result;
    }

    private static double reals(String operator, double left, double right) {
        return switch (operator) {
            case "+" -> left + right;
            case "-" -> left - right;
            case "*" -> left * right;
            case "/" -> left / right;
            case "//" -> Math.floor(left / right);
            case "%" -> left - Math.floor(left / right) * right;
            default -> Math.pow(left, right);
        };
    }

    static Value negate(Value value) {
        return calculate("-", new Int(0), value);
    }

    /** A part of a text or a list; negative positions count from the end. */
    static Value slice(Value target, Value from, Value to, Value step) {
        long stride = step == Value.None.INSTANCE ? 1 : Math.clamp(whole(step), -1L << 40, 1L << 40);
        if (stride == 0) {
            throw new TemplateError("a slice with step 0");
        }
        int size = size(target);
        long start = bound(from, stride > 0 ? 0 : size - 1L, size, stride);
        long end = bound(to, stride > 0 ? size : -1, size, stride);
        if (target instanceof Text text && stride == 1) {
            return start >= end ? Text.EMPTY : text.slice(text.offset((int) start), text.offset((int) end));
        }
        List<Value> all = Operators.items(target);
        List<Value> part = new ArrayList<>();
        for (long i = start; stride > 0 ? i < end : i > end; i += stride) {
            part.add(all.get((int) i));
        }
        if (target instanceof Text) {
            Text.Builder out = new Text.Builder();
            part.forEach(each -> out.append((Text) each));
            return out.build();
        }
        return new Sequence(part, target instanceof Sequence sequence && sequence.tuple());
    }

    private static int size(Value target) {
        return switch (target) {
            case Text text -> text.points();
            case Sequence sequence -> sequence.items().size();
            case Value.Undefined undefined -> throw undefined.error();
            default -> throw new TemplateError(target.type() + " cannot be sliced");
        };
    }

    private static long bound(Value value, long otherwise, int size, long stride) {
        if (value == Value.None.INSTANCE) {
            return otherwise;
        }
        long at = whole(value);
        long least = stride > 0 ? 0 : -1;
        long most = stride > 0 ? size : size - 1L;
        return Math.clamp(at < 0 ? Math.max(at, -1L << 40) + size : at, least, most);
    }

    private static long whole(Value value) {
        if (Operators.number(value) instanceof Int(long whole)) {
            return whole;
        }
        throw new TemplateError("a slice needs an int, not " + value.type());
    }
}
