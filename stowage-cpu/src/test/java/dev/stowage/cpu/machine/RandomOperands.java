package dev.stowage.cpu.machine;

import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** Operands for random instructions, and how GNU's assembler writes them. */
final class RandomOperands {

    private static final int[] SCALES = {1, 2, 4, 8};

    private static final List<Gp> REGISTERS = List.of(Gp.values());
    private static final List<Mask> MASKS = List.of(Mask.values());

    private final SplittableRandom random;

    RandomOperands(long seed) {
        this.random = new SplittableRandom(seed);
    }

    int number(int bound) {
        return random.nextInt(bound);
    }

    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    Gp gp() {
        return REGISTERS.get(random.nextInt(REGISTERS.size()));
    }

    Mask mask() {
        return MASKS.get(1 + random.nextInt(7));
    }

    long value() {
        return random.nextLong() >> random.nextInt(64);
    }

    int register(boolean upper) {
        return random.nextInt(upper ? 32 : 16);
    }

    /** Memory at any register, with and without index, at short, long and odd distances. */
    Address address(boolean broadcast) {
        Gp base = gp();
        Gp index = gp();
        boolean hasIndex = chance(50) && index != Gp.RSP;
        int scale = SCALES[random.nextInt(4)];
        int displacement = switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> random.nextInt(-130, 130);
            case 2 -> 4 * random.nextInt(-130, 130);
            case 3 -> 16 * random.nextInt(-130, 130);
            case 4 -> 64 * random.nextInt(-130, 130);
            default -> random.nextInt();
        };
        return new Address(base, hasIndex ? index : null, hasIndex ? scale : 1, displacement, broadcast);
    }

    /** The same with an index. */
    Address indexedAddress() {
        Address address = address(false);
        while (address.index() == null) {
            address = address(false);
        }
        return address;
    }

    static String text(Gp register) {
        return register.name().toLowerCase(Locale.ROOT);
    }

    static String text(Mask register) {
        return register.name().toLowerCase(Locale.ROOT);
    }

    static String text(VectorRegister<?> register) {
        return register.getClass().getSimpleName().toLowerCase(Locale.ROOT) + register.number();
    }

    static String text(Target<?> target) {
        return target instanceof Masked<?> masked
                ? text(masked.register()) + "{" + text(masked.mask()) + "}" + (masked.zeroing() ? "{z}" : "")
                : text(target.register());
    }

    /** An operand of an instruction on vectors of that many bytes. */
    static String text(Operand operand, int bytes) {
        return switch (operand) {
            case VectorRegister<?> register -> text(register);
            case Address address -> text(address) + (address.broadcast() ? "{1to" + bytes / 4 + "}" : "");
        };
    }

    static String text(Address address) {
        StringBuilder text = new StringBuilder(address.broadcast() ? "dword ptr [" : "[");
        text.append(text(address.base()));
        Gp index = address.index();
        if (index != null) {
            text.append('+').append(text(index)).append('*').append(address.scale());
        }
        int displacement = address.displacement();
        if (displacement != 0) {
            text.append(displacement < 0 ? "-" : "+").append(Math.abs((long) displacement));
        }
        return text.append(']').toString();
    }
}
