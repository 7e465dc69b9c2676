package dev.stowage.cpu.machine;

import static dev.stowage.cpu.machine.Encoder.isByte;

/** The part of the {@link Assembler} without vectors: addresses, counters, jumps. All registers are of 64 bits. */
public abstract sealed class ScalarAssembler permits MatrixAssembler {

    private static final int REX_W = 0x48;
    private static final int SHORT_JUMP = 2;
    private static final int LONG_CONDITIONAL_JUMP = 6;
    private static final int LONG_JUMP = 5;

    final CodeBytes code = new CodeBytes();
    final Encoder encoder = new Encoder(code);
    private int unbound;

    /** The bytes of code written so far. */
    public final int size() {
        return code.size();
    }

    /**
     * The code.
     *
     * @throws IllegalStateException if there is a jump to a label that is not bound
     */
    public final byte[] toBytes() {
        if (unbound > 0) {
            throw new IllegalStateException(unbound + " jumps go to labels that are not bound");
        }
        return code.toArray();
    }

    /** Lets a label stand for this place. */
    public final void bind(Label label) {
        label.bind(size());
        for (int jump : label.jumps()) {
            code.setInt(jump, size() - jump - Integer.BYTES);
            unbound--;
        }
    }

    public final void mov(Gp to, Gp from) {
        registers(0x89, from, to);
    }

    public final void mov(Gp to, long value) {
        if (value == (int) value) {
            rex(0, 0, to.number());
            code.add(0xC7);
            encoder.register(0, to.number());
            code.addInt((int) value);
        } else {
            rex(0, 0, to.number());
            code.add(0xB8 | (to.number() & 7));
            code.addLong(value);
        }
    }

    public final void mov(Gp to, Address from) {
        memory(0x8B, to.number(), from);
    }

    public final void mov(Address to, Gp from) {
        memory(0x89, from.number(), to);
    }

    public final void lea(Gp to, Address from) {
        memory(0x8D, to.number(), from);
    }

    public final void add(Gp to, Gp from) {
        registers(0x01, from, to);
    }

    public final void add(Gp to, int value) {
        immediate(0, to, value);
    }

    public final void sub(Gp to, Gp from) {
        registers(0x29, from, to);
    }

    public final void sub(Gp to, int value) {
        immediate(5, to, value);
    }

    public final void and(Gp to, int value) {
        immediate(4, to, value);
    }

    public final void or(Gp to, Gp from) {
        registers(0x09, from, to);
    }

    public final void cmp(Gp a, Gp b) {
        registers(0x39, b, a);
    }

    public final void cmp(Gp a, int value) {
        immediate(7, a, value);
    }

    public final void test(Gp a, Gp b) {
        registers(0x85, b, a);
    }

    public final void shl(Gp to, int bits) {
        shift(4, to, bits);
    }

    public final void shr(Gp to, int bits) {
        shift(5, to, bits);
    }

    public final void dec(Gp to) {
        rex(0, 0, to.number());
        code.add(0xFF);
        encoder.register(1, to.number());
    }

    public final void push(Gp from) {
        stack(0x50, from);
    }

    public final void pop(Gp to) {
        stack(0x58, to);
    }

    public final void ret() {
        code.add(0xC3);
    }

    public final void cpuid() {
        code.add(0x0F);
        code.add(0xA2);
    }

    public final void xgetbv() {
        code.add(0x0F);
        code.add(0x01);
        code.add(0xD0);
    }

    /** Asks for a line of memory that will be read soon. Any address may be given: none of them faults. */
    public final void prefetcht0(Address from) {
        prefetch(1, from);
    }

    /** As prefetcht0, into the second cache and not into the first. */
    public final void prefetcht1(Address from) {
        prefetch(2, from);
    }

    private void prefetch(int hint, Address from) {
        int x = Encoder.indexBit(from);
        int b = Encoder.baseBit(from);
        if (x + b > 0) {
            code.add(0x40 | (x << 1) | b);
        }
        code.add(0x0F);
        code.add(0x18);
        encoder.address(hint, from, 1);
    }

    public final void jmp(Label to) {
        jump(0xEB, 0xE9, LONG_JUMP, to);
    }

    /** Jumps if the last result was 0, or what was compared was equal. */
    public final void jz(Label to) {
        conditional(4, to);
    }

    /** Jumps if the last result was not 0, or what was compared differed. */
    public final void jnz(Label to) {
        conditional(5, to);
    }

    /** Jumps if the first of what was compared was less, without signs. */
    public final void jb(Label to) {
        conditional(2, to);
    }

    /** Jumps if the first of what was compared was not less, without signs. */
    public final void jae(Label to) {
        conditional(3, to);
    }

    private void conditional(int condition, Label to) {
        jump(0x70 | condition, 0x80 | condition, LONG_CONDITIONAL_JUMP, to);
    }

    private void jump(int shortCode, int longCode, int longBytes, Label to) {
        int distance = to.position() - size();
        if (to.isBound() && isByte(distance - SHORT_JUMP)) {
            code.add(shortCode);
            code.add(distance - SHORT_JUMP);
            return;
        }
        if (longBytes == LONG_CONDITIONAL_JUMP) {
            code.add(0x0F);
        }
        code.add(longCode);
        if (to.isBound()) {
            code.addInt(distance - longBytes);
        } else {
            to.addJump(size());
            unbound++;
            code.addInt(0);
        }
    }

    private void immediate(int operation, Gp to, int value) {
        rex(0, 0, to.number());
        if (isByte(value)) {
            code.add(0x83);
            encoder.register(operation, to.number());
            code.add(value);
        } else if (to == Gp.RAX) {
            code.add((operation << 3) | 5);
            code.addInt(value);
        } else {
            code.add(0x81);
            encoder.register(operation, to.number());
            code.addInt(value);
        }
    }

    private void shift(int operation, Gp to, int bits) {
        if (bits < 2 || bits > 63) {
            throw new IllegalArgumentException("shifts are by 2 to 63 bits, not by " + bits);
        }
        rex(0, 0, to.number());
        code.add(0xC1);
        encoder.register(operation, to.number());
        code.add(bits);
    }

    private void stack(int operation, Gp register) {
        if (register.number() > 7) {
            code.add(0x41);
        }
        code.add(operation | (register.number() & 7));
    }

    private void registers(int operation, Gp reg, Gp last) {
        rex(reg.number(), 0, last.number());
        code.add(operation);
        encoder.register(reg.number(), last.number());
    }

    private void memory(int operation, int reg, Address address) {
        if (address.broadcast()) {
            throw new IllegalArgumentException("only vector instructions repeat an element of memory");
        }
        Gp index = address.index();
        rex(reg, index == null ? 0 : index.number(), address.base().number());
        code.add(operation);
        encoder.address(reg, address, 1);
    }

    private void rex(int reg, int index, int last) {
        code.add(REX_W | ((reg >> 3) << 2) | ((index >> 3) << 1) | (last >> 3));
    }
}
