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
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Gp;
import dev.stowage.cpu.machine.Label;

/**
 * Writes the products of keys, which are halves, with 4 queries or 1, four keys at a time. Each product stays spread over the
 * lanes of a vector. While keys are multiplied, those of later are fetched. The code is called with
 *
 * <pre>
 *   RDI   the first key
 *   RSI   the first query: floats, the next one right after it
 *   RDX   where vectors go: for each key one of each query
 *   RCX   bytes from key to key
 *   R8    fours of keys, at least one; in the upper 32 bits elements, a multiple of 32 and at least that
 *   R9    how many bytes after a key the one is that will be read later
 * </pre>
 */
final class ScoreCode {

    private static final int KEYS = 4;
    private static final int V = 64;
    private static final int HALVES = 32;
    private static final int FIRST_QUERY = 16;
    private static final int KEY = 20;

    private final Assembler code = new Assembler();
    private final int queries;

    private ScoreCode(int queries) {
        this.queries = queries;
    }

    static Assembler of(int queries) {
        ScoreCode score = new ScoreCode(queries);
        score.write();
        return score.code;
    }

    private void write() {
        Label nextFour = new Label();
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
        code.mov(R12, R9);
        code.shl(R12, 2);
        code.bind(nextFour);
        for (int i = 0; i < KEYS * queries; i++) {
            code.vpxord(zmm(i), zmm(i), zmm(i));
        }
        code.mov(RAX, RDI);
        code.mov(R10, RSI);
        code.mov(R11, R9);
        code.push(R13);
        code.bind(next);
        for (int key = 0; key < KEYS; key++) {
            code.prefetcht0(key(R13, key, 0));
        }
        multiply(0);
        multiply(1);
        code.add(RAX, 2 * HALVES);
        code.add(R13, 2 * HALVES);
        code.add(R10, 2 * V);
        code.sub(R11, 2 * RowKernels.LANES);
        code.jnz(next);
        code.pop(R13);
        for (int i = 0; i < KEYS * queries; i++) {
            code.vmovups(at(RDX, i * V), zmm(i));
        }
        code.add(RDX, KEYS * queries * V);
        code.lea(RDI, at(RDI, RCX, 4, 0));
        code.lea(R13, at(R13, RCX, 4, 0));
        code.dec(R8);
        code.jnz(nextFour);
        code.pop(R13);
        code.pop(R12);
        code.pop(RBX);
        code.vzeroupper();
        code.ret();
    }

    private static Address key(Gp base, int key, int offset) {
        return switch (key) {
            case 0 -> at(base, offset);
            case 3 -> at(base, RBX, 1, offset);
            default -> at(base, RCX, key, offset);
        };
    }

    /** Query i: its distance is 0, 1, 2 or 3 times the bytes of a query. */
    private void loadQueries(int step) {
        code.vmovups(zmm(FIRST_QUERY), at(R10, step * V));
        if (queries > 1) {
            code.vmovups(zmm(FIRST_QUERY + 1), at(R10, R12, 1, step * V));
            code.vmovups(zmm(FIRST_QUERY + 2), at(R10, R12, 2, step * V));
            code.add(R10, R12);
            code.vmovups(zmm(FIRST_QUERY + 3), at(R10, R12, 2, step * V));
            code.sub(R10, R12);
        }
    }

    private void multiply(int step) {
        loadQueries(step);
        for (int key = 0; key < KEYS; key++) {
            code.vcvtph2ps(zmm(KEY + key), key(RAX, key, step * HALVES));
            for (int query = 0; query < queries; query++) {
                code.vfmadd231ps(zmm(key * queries + query), zmm(KEY + key), zmm(FIRST_QUERY + query));
            }
        }
    }
}
