package dev.stowage.picture;

import dev.stowage.packing.LowerBound;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.Solution;

/**
 * A picture of a solution: time runs to the right, offsets run upwards, and every buffer is the rectangle of its bytes
 * over its lifetime. Empty space below the line of the height is unused memory; the other line is the lower bound.
 *
 * <p>Every rectangle has a tooltip with id, size, offset and lifetime. With more than 2,000 buffers, only those large
 * enough to point at have one, and the picture says how many have none, so that it stays small.
 */
public final class SolutionPicture {

    private SolutionPicture() {}

    /** The picture as the text of an SVG file, with the lower bound that follows from the problem alone. */
    public static String svg(Problem problem, Solution solution) {
        return new SolutionSvg(problem, solution, LowerBound.of(problem)).draw();
    }

    /** The picture as the text of an SVG file, with the lower bound that the packer proved. */
    public static String svg(Problem problem, PackingResult result) {
        return new SolutionSvg(problem, result.solution(), result.lowerBound()).draw();
    }
}
