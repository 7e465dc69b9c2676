/**
 * The block formats of quantised elements, and the conversion between them and floats
 * ({@link dev.stowage.reference.quant.BlockFormat}).
 *
 * <p>There is one class for each quantised type, and it opens with a drawing of the block. What blocks are packed from is in
 * {@code quant.bits}; the searches for the scales that leave the least error are in {@code quant.search}.
 */
package dev.stowage.reference.quant;
