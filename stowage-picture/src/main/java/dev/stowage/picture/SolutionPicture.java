package dev.stowage.picture;

import dev.stowage.packing.LowerBound;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.Solution;

/**
 * A solution drawn for people: time runs to the right, offsets run upwards, and every buffer is the rectangle of the
 * bytes it takes over the time it lives. What stays empty below the line of the height is memory that could not be used;
 * the other line is the lower bound.
 *
 * <p>Every rectangle says its id, size, offset and lifetime when it is pointed at. With more than 2,000 buffers that is left
 * to those that can be pointed at; the others are drawn without words, and the picture says how many there are. So it
 * stays small enough to be opened with tens of thousands of them.
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
