package dev.stowage.testkit.op;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * One thing an op must be able to do: operands of certain types, shapes and strides, filled in a certain way, and how
 * close the result must come to the reference's. A case is a description; {@link #build()} makes tensors for it, new
 * ones each time and always alike.
 *
 * <p>Immutable; may be used from any thread.
 */
public final class OpCase {

    private final Op op;
    private final long seed;
    private final CaseFactory recipe;
    private final String name;
    private final double maxError;
    private final boolean rowsAreSets;
    private final boolean inGgml;
    private final boolean overwrites;
    private final List<Integer> inPlaceOperands;

    /**
     * @throws InvalidTensorException if the recipe asks for an op that is refused
     */
    OpCase(Op op, long seed, String prefix, CaseFactory recipe) {
        this.op = op;
        this.seed = seed;
        this.recipe = recipe;
        Operands operands = new Operands(seed);
        Tensor result = recipe.make(operands);
        Tensor subject = subject(op, result);
        this.name = prefix + CaseName.of(subject, operands.note());
        this.maxError = operands.maxError(result);
        this.rowsAreSets = operands.rowsAreSets();
        this.inGgml = operands.inGgml();
        this.overwrites = subject.isView() && !op.isViewOp();
        this.inPlaceOperands = List.copyOf(inPlaceOperands(subject));
    }

    /** The node a case is about, which is not always the last: some op functions put one or more views after it. */
    static Tensor subject(Op op, Tensor result) {
        Tensor tensor = result;
        while (tensor.op() != op) {
            if (!tensor.hasSource(0)) {
                throw new InvalidTensorException("there is no " + op + " on the way to " + result.describe());
            }
            tensor = tensor.source(0);
        }
        return tensor;
    }

    private static List<Integer> inPlaceOperands(Tensor subject) {
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < subject.sourceCount(); slot++) {
            if (subject.hasSource(slot) && mayOverwrite(subject, slot)) {
                slots.add(slot);
            }
        }
        return slots;
    }

    @SuppressWarnings("ReferenceEquality") // the same tensor is meant, not one like it
    private static boolean mayOverwrite(Tensor subject, int slot) {
        Tensor operand = subject.source(slot);
        if (subject.isView()) {
            Tensor root = operand.isView() ? operand.viewSource() : operand;
            return !subject.op().isViewOp()
                    && root == subject.viewSource()
                    && operand.layout().equals(subject.layout());
        }
        // What these ops read out of order is a weight or a list of positions, which no plan ever gives away.
        boolean onlyFirst = subject.op() == Op.ADD_ID || subject.op() == Op.ROPE || subject.op() == Op.ROPE_BACK;
        return subject.op().mayOverwrite(slot)
                && operand.isLeaf()
                && operand.layout().equals(subject.layout())
                && (slot == 0 || !onlyFirst);
    }

    /** The op the case is about. */
    public Op op() {
        return op;
    }

    /** Op, parameters and operands in one line, no two cases alike: {@code MUL_MAT q4_0[256, 32] x f32[256, 5]}. */
    public String name() {
        return name;
    }

    /** The normalised mean squared error that is allowed; 0 where every element must be the reference's. */
    public double maxError() {
        return maxError;
    }

    /** Whether the elements of a row of the result may come in any order. */
    public boolean rowsAreSets() {
        return rowsAreSets;
    }

    /** Whether ggml's CPU code takes this case too; where not, it stops the process. */
    public boolean isInGgml() {
        return inGgml;
    }

    /** Whether the result is a view of an operand, which is overwritten. */
    public boolean overwritesOperand() {
        return overwrites;
    }

    /**
     * The operands, by slot, whose place the result may take: the one it is a view of, or those a planner may let it
     * overwrite because they are inputs of the same layout and the op {@linkplain Op#canWorkInPlace() can} do that.
     */
    public List<Integer> inPlaceOperands() {
        return inPlaceOperands;
    }

    /** Makes the tensors of this case. */
    public OpGraph build() {
        Operands operands = new Operands(seed);
        Tensor result = recipe.make(operands);
        return new OpGraph(result, operands.inputs(), seed);
    }

    /** How far a result is from the reference's, in the way this case wants them compared. */
    public Nmse compare(double[] expected, double[] actual) {
        return rowsAreSets ? Nmse.ofSets(expected, actual, build().result().dim(0)) : Nmse.of(expected, actual);
    }

    @Override
    public String toString() {
        return name;
    }
}
