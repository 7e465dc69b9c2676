/**
 * The block formats of quantised elements, and the way between them and floats
 * ({@link dev.stowage.reference.quant.BlockFormat}).
 *
 * <p>There is one class for each type, and it opens with a drawing of the block. The classes whose names end in
 * {@code Search} find the scales that leave the least error; several types share most of them.
 */
package dev.stowage.reference.quant;
