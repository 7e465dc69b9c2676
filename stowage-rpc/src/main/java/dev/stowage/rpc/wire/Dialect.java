package dev.stowage.rpc.wire;

import dev.stowage.error.DeviceException;
import dev.stowage.tensor.Op;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A version of ggml's rpc protocol and what is different in it: which requests are answered, which fields messages have,
 * and which numbers ops have. ggml inserts ops in the middle of its list, so that all later ones change their numbers; the
 * patch version says so, or the minor one.
 *
 * @param major the first number of the version; versions with different ones do not understand each other
 * @param minor the second
 * @param patch the third, which counts changes of the list of ops
 * @param absent the ops that ggml did not have yet
 */
public record Dialect(int major, int minor, int patch, Set<Op> absent) {

    private static final Set<Op> NONE_ABSENT = Set.of();
    private static final Set<Op> BEFORE_HYPER_CONNECTIONS = Set.of(Op.DSV4_HC_COMB, Op.DSV4_HC_PRE, Op.DSV4_HC_POST);
    private static final Set<Op> BEFORE_INDEXER = with(BEFORE_HYPER_CONNECTIONS, Op.LIGHTNING_INDEXER);
    private static final Set<Op> BEFORE_COL2IM = with(BEFORE_INDEXER, Op.COL2IM_1D);

    /** Every version that is known, oldest first. */
    public static final List<Dialect> ALL = List.of(
            new Dialect(4, 0, 0, BEFORE_COL2IM),
            new Dialect(4, 0, 1, BEFORE_INDEXER),
            new Dialect(4, 0, 2, BEFORE_HYPER_CONNECTIONS),
            new Dialect(4, 0, 3, NONE_ABSENT),
            new Dialect(5, 0, 0, NONE_ABSENT),
            new Dialect(5, 1, 0, NONE_ABSENT),
            new Dialect(6, 0, 0, NONE_ABSENT),
            new Dialect(7, 0, 0, NONE_ABSENT));

    /** The version that a server answers with unless told otherwise. */
    public static final Dialect DEFAULT = ALL.get(5);

    private static Set<Op> with(Set<Op> ops, Op another) {
        Set<Op> all = EnumSet.copyOf(ops);
        all.add(another);
        return Set.copyOf(all);
    }

    /** The dialect of that version, or null if it is not known. */
    public static @Nullable Dialect find(int major, int minor, int patch) {
        for (Dialect dialect : ALL) {
            if (dialect.major == major && dialect.minor == minor && dialect.patch == patch) {
                return dialect;
            }
        }
        return null;
    }

    /**
     * The dialect that a user means by {@code 5.1} or {@code 4.0.2}; without a patch the newest one.
     *
     * @throws DeviceException if it is not known
     */
    public static Dialect named(String version) {
        for (int i = ALL.size() - 1; i >= 0; i--) {
            Dialect dialect = ALL.get(i);
            if (version.equals(dialect.version()) || version.equals(dialect.major + "." + dialect.minor)) {
                return dialect;
            }
        }
        throw DeviceException.of(
                "rpc", "dialect", "there is no protocol version '" + version + "': known are " + known());
    }

    /** The versions that are known, for messages. */
    public static String known() {
        List<String> names = new ArrayList<>();
        ALL.forEach(dialect -> names.add(dialect.version()));
        return String.join(", ", names);
    }

    /** The three numbers, with dots. */
    public String version() {
        return major + "." + minor + "." + patch;
    }

    /** Whether requests that have no result are answered with an empty message. */
    public boolean answersWithNothing() {
        return major < 6;
    }

    /** Whether a tensor of a graph says how often it is used, so that a server knows which results it may leave out. */
    public boolean countsUses() {
        return major > 5 || (major == 5 && minor >= 1);
    }

    /** Whether a request to write says if the bytes may be kept for other clients. */
    public boolean hasCacheFlag() {
        return major >= 7;
    }

    /** Whether there is a request to set bytes to a value. */
    public boolean hasMemset() {
        return major >= 5;
    }

    /** Whether ggml has that op in this version. */
    public boolean knows(Op op) {
        return !absent.contains(op);
    }

    /** The number of an op. */
    public int number(Op op) {
        int number = OpNumbers.of(absent).number(op);
        if (number < 0) {
            throw new IllegalStateException("version " + this + " has no " + op);
        }
        return number;
    }

    /** The op with that number, or null. */
    public @Nullable Op op(int number) {
        return OpNumbers.of(absent).op(number);
    }

    @Override
    public String toString() {
        return version();
    }
}
