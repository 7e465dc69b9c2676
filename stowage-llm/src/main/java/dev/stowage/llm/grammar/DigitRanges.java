package dev.stowage.llm.grammar;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Whole numbers from one to another, and fractions beside a bound, as expressions over their digits. */
final class DigitRanges {

    /** How many digits follow those of a bound at most. */
    private static final int MORE_DIGITS = 6;

    private static final Expression DIGIT = Expression.range('0', '9');

    private DigitRanges() {}

    /** The whole numbers of a range that is not negative, without leading zeros; nothing if it is empty. */
    static Expression whole(BigInteger low, BigInteger high) {
        List<Expression> byLength = new ArrayList<>();
        for (int length = low.toString().length(); length <= high.toString().length(); length++) {
            BigInteger least = length == 1 ? BigInteger.ZERO : BigInteger.TEN.pow(length - 1);
            BigInteger most = BigInteger.TEN.pow(length).subtract(BigInteger.ONE);
            BigInteger from = low.max(least);
            BigInteger to = high.min(most);
            if (from.compareTo(to) <= 0) {
                byLength.add(between(from.toString(), to.toString()));
            }
        }
        return new Expression.Choice(byLength);
    }

    /** Texts of digits between two of the same length. */
    private static Expression between(String low, String high) {
        if (low.isEmpty()) {
            return Expression.empty();
        }
        if (low.equals("0".repeat(low.length())) && high.equals("9".repeat(high.length()))) {
            return new Expression.Repeat(DIGIT, low.length(), low.length());
        }
        char first = low.charAt(0);
        char last = high.charAt(0);
        String lowRest = low.substring(1);
        String highRest = high.substring(1);
        if (first == last) {
            return Expression.sequence(Expression.text(low.substring(0, 1)), between(lowRest, highRest));
        }
        int rest = lowRest.length();
        List<Expression> all = new ArrayList<>();
        all.add(Expression.sequence(Expression.text(low.substring(0, 1)), between(lowRest, "9".repeat(rest))));
        if (last - first > 1) {
            all.add(Expression.sequence(
                    Expression.range((char) (first + 1), (char) (last - 1)), new Expression.Repeat(DIGIT, rest, rest)));
        }
        all.add(Expression.sequence(Expression.text(high.substring(0, 1)), between("0".repeat(rest), highRest)));
        return new Expression.Choice(all);
    }

    /** Any fraction, or none. */
    static Expression anyFraction() {
        return Expression.optional(
                Expression.sequence(Expression.text("."), new Expression.Repeat(DIGIT, 1, MORE_DIGITS)));
    }

    /** Fractions from a bound on; the digits of it have no zeros at their end. */
    static Expression fractionFrom(String bound, boolean without) {
        Expression some = Expression.sequence(Expression.text("."), digitsFrom(bound, without));
        return bound.isEmpty() && !without ? anyFraction() : some;
    }

    private static Expression digitsFrom(String bound, boolean without) {
        if (bound.isEmpty()) {
            Expression zeros = new Expression.Repeat(Expression.text("0"), 0, MORE_DIGITS - 1);
            Expression more = new Expression.Repeat(DIGIT, 0, 1);
            return without ? Expression.sequence(zeros, Expression.range('1', '9'), more) : more(0);
        }
        Expression same =
                Expression.sequence(Expression.text(bound.substring(0, 1)), digitsFrom(bound.substring(1), without));
        char first = bound.charAt(0);
        return first == '9'
                ? same
                : Expression.choice(same, Expression.sequence(Expression.range((char) (first + 1), '9'), more(0)));
    }

    private static Expression more(int least) {
        return new Expression.Repeat(DIGIT, least, MORE_DIGITS);
    }

    /** Fractions, or none, up to a bound; the digits of it have no zeros at their end. */
    static Expression fractionTo(String bound, boolean without) {
        if (bound.isEmpty()) {
            return without ? Expression.nothing() : Expression.optional(Expression.text(".0"));
        }
        return Expression.optional(Expression.sequence(Expression.text("."), digitsTo(bound, without)));
    }

    private static Expression digitsTo(String bound, boolean without) {
        char first = bound.charAt(0);
        String rest = bound.substring(1);
        Expression after = rest.isEmpty()
                ? without ? Expression.nothing() : Expression.empty()
                : Expression.optional(digitsTo(rest, without));
        Expression same = Expression.sequence(Expression.text(bound.substring(0, 1)), after);
        return first == '0'
                ? same
                : Expression.choice(same, Expression.sequence(Expression.range('0', (char) (first - 1)), more(0)));
    }

    /** Fractions, or none, between two bounds of the same whole part. */
    static Expression fractionBetween(String low, boolean withoutLow, String high, boolean withoutHigh) {
        boolean none = low.isEmpty() && !withoutLow && !(high.isEmpty() && withoutHigh);
        Expression some = high.isEmpty()
                ? Expression.nothing()
                : Expression.sequence(Expression.text("."), digitsBetween(low, withoutLow, high, withoutHigh));
        return none ? Expression.optional(some) : some;
    }

    private static Expression digitsBetween(String low, boolean withoutLow, String high, boolean withoutHigh) {
        if (high.isEmpty()) {
            return withoutLow || withoutHigh ? Expression.nothing() : Expression.empty();
        }
        char from = low.isEmpty() ? '0' : low.charAt(0);
        char to = high.charAt(0);
        String lowRest = low.isEmpty() ? "" : low.substring(1);
        String highRest = high.substring(1);
        Expression begin = Expression.text(String.valueOf(from));
        if (from == to) {
            boolean early = lowRest.isEmpty() && !withoutLow && !highRest.isEmpty();
            Expression rest = digitsBetween(lowRest, withoutLow, highRest, withoutHigh);
            return Expression.sequence(begin, early ? Expression.optional(rest) : rest);
        }
        List<Expression> all = new ArrayList<>();
        all.add(Expression.sequence(begin, digitsFrom(lowRest, withoutLow)));
        if (to - from > 1) {
            all.add(Expression.sequence(Expression.range((char) (from + 1), (char) (to - 1)), more(0)));
        }
        Expression after = highRest.isEmpty()
                ? withoutHigh ? Expression.nothing() : Expression.empty()
                : Expression.optional(digitsTo(highRest, withoutHigh));
        all.add(Expression.sequence(Expression.text(String.valueOf(to)), after));
        return new Expression.Choice(all);
    }
}
