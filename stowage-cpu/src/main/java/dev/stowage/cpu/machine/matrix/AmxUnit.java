package dev.stowage.cpu.machine.matrix;

import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Tmm.tmm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Assembler;
import java.util.List;

/**
 * Matrices in the registers of AMX. They are configured by 64 bytes:
 *
 * <pre>
 *    0       palette 1: eight registers
 *   16       bytes of a row of each register, 2 bytes each
 *   48       rows of each register, a byte each
 * </pre>
 */
public record AmxUnit(Assembler code) implements MatrixUnit {

    private static final int BYTES = 64;
    private static final int PALETTE = 1;
    private static final int ROW_BYTES = 16;
    private static final int ROWS = 48;

    private static final int MOST_SHAPES = 8;

    /** The shapes whose bytes of a row fit into a word. */
    private static final int SHAPES_OF_A_WORD = Long.BYTES / Short.BYTES;

    @Override
    public void configure(List<Shape> shapes, Address scratch) {
        if (shapes.size() > MOST_SHAPES) {
            throw new IllegalArgumentException(
                    "up to " + MOST_SHAPES + " matrices can be configured, not " + shapes.size());
        }
        for (int at = 0; at < BYTES; at += Long.BYTES) {
            code.mov(RAX, word(shapes, at));
            code.mov(scratch.plus(at), RAX);
        }
        code.ldtilecfg(scratch);
    }

    /** Eight bytes of the configuration. */
    static long word(List<Shape> shapes, int at) {
        return switch (at) {
            case 0 -> PALETTE;
            case ROW_BYTES -> rowBytes(shapes, 0);
            case ROW_BYTES + Long.BYTES -> rowBytes(shapes, SHAPES_OF_A_WORD);
            case ROWS -> rows(shapes);
            default -> 0;
        };
    }

    private static long rowBytes(List<Shape> shapes, int first) {
        long word = 0;
        for (int i = first; i < Math.min(first + SHAPES_OF_A_WORD, shapes.size()); i++) {
            word |= (long) shapes.get(i).rowBytes() << (Short.SIZE * (i - first));
        }
        return word;
    }

    private static long rows(List<Shape> shapes) {
        long word = 0;
        for (int i = 0; i < shapes.size(); i++) {
            word |= (long) shapes.get(i).rows() << (Byte.SIZE * i);
        }
        return word;
    }

    @Override
    public void zero(int to) {
        code.tilezero(tmm(to));
    }

    @Override
    public void load(int to, Address from) {
        code.tileloadd(tmm(to), from);
    }

    @Override
    public void store(Address to, int from) {
        code.tilestored(to, tmm(from));
    }

    @Override
    public void multiply(int to, int a, int b) {
        code.tdpbsud(tmm(to), tmm(a), tmm(b));
    }

    @Override
    public void multiplyPairs(int to, int a, int b) {
        code.tdpbf16ps(tmm(to), tmm(a), tmm(b));
    }

    @Override
    public void release() {
        code.tilerelease();
    }
}
