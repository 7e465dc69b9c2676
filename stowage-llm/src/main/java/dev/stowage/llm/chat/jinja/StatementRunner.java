package dev.stowage.llm.chat.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs the statements of a template. */
final class StatementRunner {

    /** What goes on after a statement. */
    private enum Flow {
        NEXT,
        BREAK,
        CONTINUE
    }

    private final RenderLimits limits;
    private final Evaluator evaluator;

    StatementRunner(RenderLimits limits, Evaluator evaluator) {
        this.limits = limits;
        this.evaluator = evaluator;
    }

    /** What some statements write. */
    Text write(List<Statement> statements, Scope scope) {
        Text.Builder out = new Text.Builder();
        run(statements, scope, out);
        return out.build();
    }

    private Flow run(List<Statement> statements, Scope scope, Text.Builder out) {
        for (Statement each : statements) {
            Flow flow = run(each, scope, out);
            if (flow != Flow.NEXT) {
                return flow;
            }
        }
        return Flow.NEXT;
    }

    private Flow run(Statement statement, Scope scope, Text.Builder out) {
        limits.steps(1);
        switch (statement) {
            case Statement.Data data -> print(data.text(), out);
            case Statement.Print print -> print(Printer.text(evaluator.evaluate(print.expression(), scope)), out);
            case Statement.If choice -> {
                return run(branch(choice, scope), scope, out);
            }
            case Statement.For loop -> {
                evaluator.at(loop.line());
                runLoop(loop, scope, out);
            }
            case Statement.Set set -> {
                evaluator.at(set.line());
                assign(set.names(), evaluator.evaluate(set.value(), scope), scope);
            }
            case Statement.SetAttribute set -> setAttribute(set, scope);
            case Statement.SetBlock set ->
                scope.set(set.name(), filtered(set.filters(), write(set.body(), scope.inner()), scope));
            case Statement.FilterBlock block ->
                print(Printer.text(filtered(block.filters(), write(block.body(), scope.inner()), scope)), out);
            case Statement.Macro macro ->
                scope.set(macro.name(), macro(macro.name(), macro.parameters(), macro.body(), scope));
            case Statement.CallBlock call -> print(Printer.text(callWithBody(call, scope)), out);
            case Statement.With with -> {
                return runWith(with, scope, out);
            }
            case Statement.Body body -> {
                return run(body.statements(), scope, out);
            }
            case Statement.Break ignored -> {
                return Flow.BREAK;
            }
            case Statement.Continue ignored -> {
                return Flow.CONTINUE;
            }
        }
        return Flow.NEXT;
    }

    private void print(Text text, Text.Builder out) {
        limits.written(text);
        out.append(text);
    }

    private List<Statement> branch(Statement.If choice, Scope scope) {
        for (Statement.Branch each : choice.branches()) {
            if (evaluator.isTrue(each.condition(), scope)) {
                return each.body();
            }
        }
        return choice.otherwise();
    }

    private void runLoop(Statement.For loop, Scope scope, Text.Builder out) {
        List<Value> items = selected(loop, scope);
        LoopState state = new LoopState(items);
        for (Value each : items) {
            limits.steps(1);
            Scope inner = scope.inner();
            inner.set("loop", state);
            assign(loop.targets(), each, inner);
            if (run(loop.body(), inner, out) == Flow.BREAK) {
                break;
            }
            state.advance();
        }
        if (items.isEmpty()) {
            run(loop.otherwise(), scope.inner(), out);
        }
    }

    /** The items of a loop that meet its condition. */
    private List<Value> selected(Statement.For loop, Scope scope) {
        List<Value> all = Operators.items(evaluator.evaluate(loop.items(), scope));
        Optional<Expression> condition = loop.condition();
        if (condition.isEmpty()) {
            return all;
        }
        List<Value> selected = new ArrayList<>();
        for (Value each : all) {
            Scope inner = scope.inner();
            assign(loop.targets(), each, inner);
            if (evaluator.isTrue(condition.get(), inner)) {
                selected.add(each);
            }
        }
        return selected;
    }

    private static void assign(List<String> names, Value value, Scope scope) {
        if (names.size() == 1) {
            scope.set(names.getFirst(), value);
            return;
        }
        List<Value> parts = Operators.items(value);
        if (parts.size() != names.size()) {
            throw new TemplateError(parts.size() + " values for " + names.size() + " variables");
        }
        for (int i = 0; i < parts.size(); i++) {
            scope.set(names.get(i), parts.get(i));
        }
    }

    private void setAttribute(Statement.SetAttribute set, Scope scope) {
        evaluator.at(set.line());
        Value value = evaluator.evaluate(set.value(), scope);
        if (!(scope.get(set.namespace()) instanceof Value.Namespace namespace)) {
            throw new TemplateError(
                    "'" + set.namespace() + "' is not a namespace, so '" + set.name() + "' cannot be set in it");
        }
        namespace.attributes().put(set.name(), value);
    }

    private Value filtered(List<Statement.FilterCall> filters, Text text, Scope scope) {
        Value value = text;
        for (Statement.FilterCall each : filters) {
            value = evaluator.filter(each.name(), value, each.arguments(), scope);
        }
        return value;
    }

    private Value.Function macro(String name, List<Statement.Parameter> parameters, List<Statement> body, Scope scope) {
        return new Value.Function(name, arguments -> {
            limits.enter();
            Scope inner = scope.inner();
            bind(name, parameters, arguments, inner);
            Text written = write(body, inner);
            limits.leave();
            return written;
        });
    }

    private void bind(String macro, List<Statement.Parameter> parameters, Arguments arguments, Scope scope) {
        if (arguments.positional().size() > parameters.size()) {
            throw new TemplateError("macro '" + macro + "' takes " + parameters.size() + " arguments, not "
                    + arguments.positional().size());
        }
        for (Map.Entry<String, Value> each : arguments.named().entrySet()) {
            boolean known = each.getKey().equals("caller")
                    || parameters.stream()
                            .anyMatch(parameter -> parameter.name().equals(each.getKey()));
            if (!known) {
                throw new TemplateError("macro '" + macro + "' has no parameter '" + each.getKey() + "'");
            }
            scope.set(each.getKey(), each.getValue());
        }
        for (int i = 0; i < parameters.size(); i++) {
            Statement.Parameter parameter = parameters.get(i);
            Optional<Value> given = arguments.find(i, parameter.name());
            scope.set(parameter.name(), given.orElseGet(() -> otherwise(parameter, scope)));
        }
    }

    private Value otherwise(Statement.Parameter parameter, Scope scope) {
        return parameter
                .otherwise()
                .map(each -> evaluator.evaluate(each, scope))
                .orElseGet(() -> new Value.Undefined(parameter.name()));
    }

    private Value callWithBody(Statement.CallBlock block, Scope scope) {
        evaluator.at(block.line());
        Arguments arguments = evaluator.arguments(block.call().arguments(), scope);
        Map<String, Value> named = new LinkedHashMap<>(arguments.named());
        named.put("caller", macro("caller", block.parameters(), block.body(), scope));
        return evaluator.call(block.call(), new Arguments(arguments.positional(), named), scope);
    }

    private Flow runWith(Statement.With with, Scope scope, Text.Builder out) {
        Scope inner = scope.inner();
        for (Statement.Parameter each : with.variables()) {
            inner.set(each.name(), otherwise(each, scope));
        }
        return run(with.body(), inner, out);
    }
}
