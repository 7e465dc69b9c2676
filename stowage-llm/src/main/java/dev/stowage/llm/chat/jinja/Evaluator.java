package dev.stowage.llm.chat.jinja;

import dev.stowage.llm.chat.jinja.Expression.ArgumentList;
import dev.stowage.llm.chat.jinja.Value.Dict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Computes expressions, within limits, and knows the line that it is at. */
final class Evaluator {

    /** Filters that do not look into the parts of a value: cheap, and common on the list of all messages. */
    private static final Set<String> SHALLOW = Set.of("length", "count", "first", "last", "list", "default", "d");

    private final RenderLimits limits;
    private final Members members;
    private int line = 1;

    Evaluator(RenderLimits limits) {
        this.limits = limits;
        this.members = new Members(limits);
    }

    int line() {
        return line;
    }

    void at(int newLine) {
        this.line = newLine;
    }

    Value evaluate(Expression expression, Scope scope) {
        // After an error the line stays that of the innermost expression.
        int outer = line;
        line = expression.line();
        limits.enter();
        Value value = compute(expression, scope);
        limits.leave();
        line = outer;
        return value;
    }

    boolean isTrue(Expression expression, Scope scope) {
        return Operators.truth(evaluate(expression, scope));
    }

    private Value compute(Expression expression, Scope scope) {
        return switch (expression) {
            case Expression.Literal literal -> literal.value();
            case Expression.Name name -> scope.get(name.name());
            case Expression.ListOf list ->
                limits.produced(new Value.Sequence(evaluateAll(list.items(), scope), list.tuple()));
            case Expression.DictOf dict -> limits.produced(dict(dict, scope));
            case Expression.Negate negate -> Calculator.negate(evaluate(negate.operand(), scope));
            case Expression.Plus plus -> evaluate(plus.operand(), scope);
            case Expression.Not not -> Value.of(!isTrue(not.operand(), scope));
            case Expression.And and -> {
                Value left = evaluate(and.left(), scope);
                yield Operators.truth(left) ? evaluate(and.right(), scope) : left;
            }
            case Expression.Or or -> {
                Value left = evaluate(or.left(), scope);
                yield Operators.truth(left) ? left : evaluate(or.right(), scope);
            }
            case Expression.Arithmetic sum ->
                limits.produced(
                        Calculator.apply(sum.operator(), evaluate(sum.left(), scope), evaluate(sum.right(), scope)));
            case Expression.Concat concat -> concat(concat, scope);
            case Expression.Compare compare -> compare(compare, scope);
            case Expression.Conditional conditional -> conditional(conditional, scope);
            case Expression.Attribute attribute ->
                members.attribute(evaluate(attribute.target(), scope), attribute.name());
            case Expression.Index index -> members.item(evaluate(index.target(), scope), evaluate(index.key(), scope));
            case Expression.Slice slice ->
                limits.produced(Calculator.slice(
                        evaluate(slice.target(), scope),
                        bound(slice.from(), scope),
                        bound(slice.to(), scope),
                        bound(slice.step(), scope)));
            case Expression.Call call -> call(call, arguments(call.arguments(), scope), scope);
            case Expression.Filter filter ->
                filter(filter.name(), evaluate(filter.target(), scope), filter.arguments(), scope);
            case Expression.Test test -> test(test, scope);
        };
    }

    private List<Value> evaluateAll(List<Expression> expressions, Scope scope) {
        List<Value> values = new ArrayList<>(expressions.size());
        for (Expression each : expressions) {
            values.add(evaluate(each, scope));
        }
        return values;
    }

    private Value dict(Expression.DictOf dict, Scope scope) {
        Map<Value, Value> entries = new LinkedHashMap<>();
        for (Expression.Entry each : dict.entries()) {
            Value key = evaluate(each.key(), scope);
            if (!(key instanceof Text || Operators.isNumber(key) || key == Value.None.INSTANCE)) {
                throw new TemplateError("a key of a dict must be a str or a number, not " + key.type());
            }
            entries.put(key, evaluate(each.value(), scope));
        }
        return new Dict(entries);
    }

    private Value concat(Expression.Concat concat, Scope scope) {
        Text.Builder out = new Text.Builder();
        for (Expression each : concat.operands()) {
            out.append(Printer.text(evaluate(each, scope)));
        }
        return limits.produced(out.build());
    }

    private Value compare(Expression.Compare compare, Scope scope) {
        Value left = evaluate(compare.first(), scope);
        for (Expression.Comparison each : compare.others()) {
            Value right = evaluate(each.operand(), scope);
            // Searching is the dearest comparison; all are charged alike.
            limits.work(right, Arguments.of(left));
            if (!Operators.compares(each.operator(), left, right)) {
                return Value.Bool.FALSE;
            }
            left = right;
        }
        return Value.Bool.TRUE;
    }

    private Value conditional(Expression.Conditional conditional, Scope scope) {
        if (isTrue(conditional.condition(), scope)) {
            return evaluate(conditional.then(), scope);
        }
        return conditional
                .otherwise()
                .map(otherwise -> evaluate(otherwise, scope))
                .orElseGet(() -> new Value.Undefined("an 'if' without 'else'"));
    }

    private Value bound(Optional<Expression> bound, Scope scope) {
        return bound.map(each -> evaluate(each, scope)).orElse(Value.None.INSTANCE);
    }

    private Value test(Expression.Test test, Scope scope) {
        Value target = evaluate(test.target(), scope);
        Arguments arguments = arguments(test.arguments(), scope);
        if (!arguments.isEmpty()) {
            limits.work(target, arguments);
        }
        return Value.of(Tests.apply(test.name(), target, arguments));
    }

    Value filter(String name, Value target, ArgumentList list, Scope scope) {
        Arguments arguments = arguments(list, scope);
        if (!SHALLOW.contains(name)) {
            limits.work(target, arguments);
        }
        return limits.produced(Filters.apply(name, target, arguments));
    }

    Value call(Expression.Call call, Arguments arguments, Scope scope) {
        Value target = evaluate(call.target(), scope);
        return switch (target) {
            case Value.Function function -> limits.produced(function.body().call(arguments));
            case Value.Undefined undefined -> throw undefined.error();
            default -> throw new TemplateError(target.type() + " cannot be called");
        };
    }

    Arguments arguments(ArgumentList list, Scope scope) {
        List<Value> positional = evaluateAll(list.positional(), scope);
        list.spread().ifPresent(each -> positional.addAll(Operators.items(evaluate(each, scope))));
        Map<String, Value> named = new LinkedHashMap<>();
        list.named().forEach((name, each) -> named.put(name, evaluate(each, scope)));
        list.spreadNamed().ifPresent(each -> {
            if (evaluate(each, scope) instanceof Dict dict) {
                dict.entries()
                        .forEach((key, value) -> named.put(Printer.text(key).chars(), value));
            }
        });
        return new Arguments(positional, named);
    }
}
