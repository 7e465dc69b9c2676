package dev.stowage.cpu.machine.row;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R10;
import static dev.stowage.cpu.machine.Gp.R11;
import static dev.stowage.cpu.machine.Gp.R12;
import static dev.stowage.cpu.machine.Gp.R13;
import static dev.stowage.cpu.machine.Gp.R8;
import static dev.stowage.cpu.machine.Gp.R9;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Gp.RBX;
import static dev.stowage.cpu.machine.Gp.RCX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RDX;
import static dev.stowage.cpu.machine.Gp.RSI;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Gp;
import dev.stowage.cpu.machine.Label;
import dev.stowage.cpu.machine.VectorRegister;
import dev.stowage.cpu.machine.Ymm;
import dev.stowage.cpu.machine.Zmm;
import java.util.function.IntFunction;

/**
 * Writes the products of keys, which are halves, with 4 queries or 1, a few keys at a time. Each product stays spread over the
 * lanes of a register. While keys are multiplied, those of later are fetched. The code is called with
 *
 * <pre>
 *   RDI   the first key
 *   RSI   the first query: floats, the next one right after it
 *   RDX   where registers go: for each key one of each query
 *   RCX   bytes from key to key
 *   R8    fours of keys, at least one; in the upper 32 bits elements, a multiple of 32 and at least that
 *   R9    how many bytes after a key the one is that will be read later
 *
 *                        512 bits    256 bits, 4 queries     1 query
 *   sums                 0..15       0..7                    0..3
 *   queries              16..19      8..11                   8
 *   keys                 20..23      12, 13                  12..15
 * </pre>
 *
 * @param <V> the registers
 */
final class ScoreCode<V extends VectorRegister<V>> {

    /** Elements of a step: a line of keys. */
    private static final int STEP = AttentionKernels.Attention.KEY_ELEMENTS;

    private static final int KEYS = AttentionKernels.Attention.KEYS;

    private final Assembler code = new Assembler();
    private final int queries;
    private final IntFunction<V> registers;

    /** Keys whose sums are in registers together: 4 or 2. */
    private final int together;

    private final int firstQuery;
    private final int firstKey;

    private ScoreCode(int queries, IntFunction<V> registers, int together, int firstQuery, int firstKey) {
        this.queries = queries;
        this.registers = registers;
        this.together = together;
        this.firstQuery = firstQuery;
        this.firstKey = firstKey;
    }

    static Assembler of(RowLevel level, int queries) {
        return switch (level) {
            case AVX512 -> new ScoreCode<>(queries, Zmm::zmm, KEYS, 16, 20).write();
            case AVX2 -> new ScoreCode<>(queries, Ymm::ymm, queries == 1 ? KEYS : KEYS / 2, 8, 12).write();
        };
    }

    private V register(int number) {
        return registers.apply(number);
    }

    /** Bytes of a register. */
    private int bytes() {
        return register(0).bytes();
    }

    private Assembler write() {
        Label nextKeys = new Label();
        Label next = new Label();
        code.push(RBX);
        code.push(R12);
        code.push(R13);
        // RBX: 3 keys. R12: bytes of a query. R13: what is fetched. R9: elements, once R13 is known.
        code.lea(RBX, at(RCX, RCX, 2, 0));
        code.add(R9, RDI);
        code.mov(R13, R9);
        code.mov(R9, R8);
        code.shr(R9, 32);
        code.shl(R8, 32);
        code.shr(R8, 32);
        if (together < KEYS) {
            code.add(R8, R8);
        }
        code.mov(R12, R9);
        code.shl(R12, 2);
        code.bind(nextKeys);
        for (int i = 0; i < together * queries; i++) {
            code.vxorps(register(i), register(i), register(i));
        }
        code.mov(RAX, RDI);
        code.mov(R10, RSI);
        code.mov(R11, R9);
        code.push(R13);
        code.bind(next);
        for (int key = 0; key < together; key++) {
            code.prefetcht0(key(R13, key, 0));
        }
        for (int step = 0; step < STEP * Float.BYTES / bytes(); step++) {
            multiply(step);
        }
        code.add(RAX, STEP * Short.BYTES);
        code.add(R13, STEP * Short.BYTES);
        code.add(R10, STEP * Float.BYTES);
        code.sub(R11, STEP);
        code.jnz(next);
        code.pop(R13);
        for (int i = 0; i < together * queries; i++) {
            code.vmovups(at(RDX, i * bytes()), register(i));
        }
        code.add(RDX, together * queries * bytes());
        code.lea(RDI, at(RDI, RCX, together, 0));
        code.lea(R13, at(R13, RCX, together, 0));
        code.dec(R8);
        code.jnz(nextKeys);
        code.pop(R13);
        code.pop(R12);
        code.pop(RBX);
        code.vzeroupper();
        code.ret();
        return code;
    }

    private static Address key(Gp base, int key, int offset) {
        return switch (key) {
            case 0 -> at(base, offset);
            case 3 -> at(base, RBX, 1, offset);
            default -> at(base, RCX, key, offset);
        };
    }

    /** Query i: its distance is 0, 1, 2 or 3 times the bytes of a query. */
    private void loadQueries(int offset) {
        code.vmovups(register(firstQuery), at(R10, offset));
        if (queries > 1) {
            code.vmovups(register(firstQuery + 1), at(R10, R12, 1, offset));
            code.vmovups(register(firstQuery + 2), at(R10, R12, 2, offset));
            code.add(R10, R12);
            code.vmovups(register(firstQuery + 3), at(R10, R12, 2, offset));
            code.sub(R10, R12);
        }
    }

    private void multiply(int step) {
        loadQueries(step * bytes());
        for (int key = 0; key < together; key++) {
            code.vcvtph2ps(register(firstKey + key), key(RAX, key, step * bytes() / 2));
            for (int query = 0; query < queries; query++) {
                code.vfmadd231ps(
                        register(key * queries + query), register(firstKey + key), register(firstQuery + query));
            }
        }
    }
}
