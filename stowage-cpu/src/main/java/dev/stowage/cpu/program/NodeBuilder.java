package dev.stowage.cpu.program;

import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.device.Step;
import dev.stowage.tensor.OpParameters;

/** One node being prepared: its operands to look at, and the place to add its tasks to. */
public final class NodeBuilder {

    private final ProgramBuilder program;
    private final Step step;
    private final Operand result;
    private final Operand[] operands;

    public NodeBuilder(ProgramBuilder program, Step step) {
        this.program = program;
        this.step = step;
        this.result = Operand.of(step.result());
        this.operands = new Operand[step.operandCount()];
        for (int slot = 0; slot < operands.length; slot++) {
            if (step.hasOperand(slot)) {
                operands[slot] = Operand.of(step.operand(slot));
            }
        }
    }

    /** The node as the graph has it. */
    public Step step() {
        return step;
    }

    /** The parameters of the node, which are of that type. */
    public <P extends OpParameters> P parameters(Class<P> type) {
        return type.cast(step.parameters());
    }

    /** What is computed. */
    public Operand result() {
        return result;
    }

    /** Whether that operand was given. */
    public boolean has(int slot) {
        return step.hasOperand(slot);
    }

    /** The operand in that slot, which was given. */
    public Operand operand(int slot) {
        step.operand(slot);
        return operands[slot];
    }

    /** How many threads there will be. */
    public int threads() {
        return program.threads();
    }

    /** Adds a task; tasks of a node run one after the other, each when the one before is done. */
    public void add(ParallelTask task) {
        program.add(step, task);
    }

    /** Memory that all threads share while this node runs. */
    public Scratch scratch(long bytes) {
        return program.scratch(bytes, 1);
    }

    /** Memory that each thread has of its own while this node runs. */
    public Scratch scratchPerThread(long bytes) {
        return program.scratch(bytes, program.threads());
    }

    /**
     * Memory with something made from an operand, such as its rows in another form: made by the first node that asks for
     * it, and used by later ones as long as the operand is not written to in between.
     *
     * @param slot the operand it is made from
     * @param form what is made; only what is of one form is shared
     * @param bytes how much memory it takes
     * @param maker gives the task that fills it
     */
    public Scratch derived(int slot, String form, long bytes, Maker maker) {
        return program.derived(step, operand(slot), form, bytes, maker);
    }

    /** Gives the task that fills memory with something made from an operand. */
    @FunctionalInterface
    public interface Maker {
        ParallelTask fill(Scratch target);
    }
}
