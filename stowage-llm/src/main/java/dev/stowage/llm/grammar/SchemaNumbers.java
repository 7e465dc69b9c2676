package dev.stowage.llm.grammar;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Numbers of a JSON schema: any, or within bounds, which are kept exactly, digit by digit. */
final class SchemaNumbers {

    /** Numbers without a bound have that many digits before the point at most, so that they are exact in a double. */
    private static final BigDecimal OPEN = new BigDecimal("999999999999999");

    /** Bounds beyond that are as good as none. */
    private static final BigDecimal LARGEST = new BigDecimal("1e30");

    private static final int LONGEST_FRACTION = 40;

    /** A bound, which itself is in or not. */
    private record Bound(BigDecimal value, boolean without) {

        Bound negated() {
            return new Bound(value.negate(), without);
        }

        BigInteger whole() {
            return value.setScale(0, RoundingMode.DOWN).toBigInteger();
        }

        /** The digits after the point, without zeros at the end. */
        String fraction() {
            BigDecimal stripped = value.stripTrailingZeros();
            return stripped.scale() <= 0
                    ? ""
                    : stripped.remainder(BigDecimal.ONE).toPlainString().substring(2);
        }
    }

    private SchemaNumbers() {}

    static Expression integer(SchemaNode node) {
        node.number("multipleOf")
                .filter(each -> each.compareTo(BigDecimal.ONE) != 0)
                .ifPresent(each -> {
                    throw node.error("multipleOf", "'multipleOf' is not supported, except 1 for integers");
                });
        Optional<Bound> low = low(node);
        Optional<Bound> high = high(node);
        if (low.isEmpty() && high.isEmpty()) {
            return new Expression.Call(JsonRules.INTEGER);
        }
        BigInteger from = low.map(bound -> bound.value()
                        .setScale(0, RoundingMode.CEILING)
                        .toBigInteger()
                        .add(isExcluded(bound) ? BigInteger.ONE : BigInteger.ZERO))
                .orElse(open(high).negate().toBigInteger());
        BigInteger to = high.map(bound -> bound.value()
                        .setScale(0, RoundingMode.FLOOR)
                        .toBigInteger()
                        .subtract(isExcluded(bound) ? BigInteger.ONE : BigInteger.ZERO))
                .orElse(open(low).toBigInteger());
        if (from.compareTo(to) > 0) {
            throw node.error(keyword(node, low.isPresent()), "no integer is within the bounds");
        }
        List<Expression> parts = new ArrayList<>();
        if (to.signum() >= 0) {
            parts.add(DigitRanges.whole(from.max(BigInteger.ZERO), to));
        }
        if (from.signum() < 0) {
            BigInteger least = to.negate().max(BigInteger.ONE);
            parts.add(Expression.sequence(Expression.text("-"), DigitRanges.whole(least, from.negate())));
        }
        return new Expression.Choice(parts);
    }

    private static boolean isExcluded(Bound bound) {
        return bound.without() && bound.fraction().isEmpty();
    }

    static Expression number(SchemaNode node) {
        if (node.has("multipleOf")) {
            throw node.error("multipleOf", "'multipleOf' is not supported, except 1 for integers");
        }
        Optional<Bound> low = low(node);
        Optional<Bound> high = high(node);
        if (low.isEmpty() && high.isEmpty()) {
            return new Expression.Call(JsonRules.NUMBER);
        }
        Bound from = low.orElse(new Bound(open(high).negate(), false));
        Bound to = high.orElse(new Bound(open(low), false));
        int order = from.value().compareTo(to.value());
        if (order > 0 || (order == 0 && (from.without() || to.without()))) {
            throw node.error(keyword(node, low.isPresent()), "no number is within the bounds");
        }
        Bound zero = new Bound(BigDecimal.ZERO, false);
        List<Expression> parts = new ArrayList<>();
        if (to.value().signum() >= 0) {
            parts.add(positive(from.value().signum() >= 0 ? from : zero, to));
        }
        if (from.value().signum() < 0) {
            Bound least = to.value().signum() < 0 ? to.negated() : new Bound(BigDecimal.ZERO, true);
            parts.add(Expression.sequence(Expression.text("-"), positive(least, from.negated())));
        }
        return new Expression.Choice(parts);
    }

    private static Expression positive(Bound low, Bound high) {
        BigInteger from = low.whole();
        BigInteger to = high.whole();
        if (from.equals(to)) {
            return Expression.sequence(
                    Expression.text(from.toString()),
                    DigitRanges.fractionBetween(low.fraction(), low.without(), high.fraction(), high.without()));
        }
        Expression lowest = Expression.sequence(
                Expression.text(from.toString()), DigitRanges.fractionFrom(low.fraction(), low.without()));
        Expression between = Expression.sequence(
                DigitRanges.whole(from.add(BigInteger.ONE), to.subtract(BigInteger.ONE)), DigitRanges.anyFraction());
        Expression highest = Expression.sequence(
                Expression.text(to.toString()), DigitRanges.fractionTo(high.fraction(), high.without()));
        return Expression.choice(lowest, between, highest);
    }

    private static Optional<Bound> low(SchemaNode node) {
        return bound(node, "minimum", "exclusiveMinimum", 1);
    }

    private static Optional<Bound> high(SchemaNode node) {
        return bound(node, "maximum", "exclusiveMaximum", -1);
    }

    /** The stricter of two bounds; none where it is so far away that it makes no difference. */
    private static Optional<Bound> bound(SchemaNode node, String with, String without, int direction) {
        Optional<Bound> bound = Optional.empty();
        for (String keyword : List.of(with, without)) {
            Optional<Bound> other = node.number(keyword).map(value -> new Bound(value, keyword.equals(without)));
            if (other.isPresent()) {
                check(node, keyword, other.get(), direction);
                boolean stricter = bound.isEmpty()
                        || direction * other.get().value().compareTo(bound.get().value()) >= 0;
                bound = stricter ? other : bound;
            }
        }
        return bound.filter(each ->
                direction * each.value().signum() >= 0 || each.value().abs().compareTo(LARGEST) <= 0);
    }

    private static void check(SchemaNode node, String keyword, Bound bound, int direction) {
        if (direction * bound.value().compareTo(LARGEST.multiply(BigDecimal.valueOf(direction))) > 0) {
            throw node.error(keyword, "the bound " + bound.value() + " is too far from 0: at most 1e30 is supported");
        }
        if (bound.fraction().length() > LONGEST_FRACTION) {
            throw node.error(keyword, "the bound has more than " + LONGEST_FRACTION + " digits after the point");
        }
    }

    /** How far numbers go on the side without a bound. */
    private static BigDecimal open(Optional<Bound> other) {
        BigDecimal beyond =
                other.map(Bound::value).orElse(BigDecimal.ZERO).abs().multiply(BigDecimal.TEN);
        return OPEN.max(beyond.setScale(0, RoundingMode.UP));
    }

    private static String keyword(SchemaNode node, boolean low) {
        return low
                ? node.has("minimum") ? "minimum" : "exclusiveMinimum"
                : node.has("maximum") ? "maximum" : "exclusiveMaximum";
    }
}
