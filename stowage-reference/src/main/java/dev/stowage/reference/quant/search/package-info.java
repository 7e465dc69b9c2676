/** The searches for the scales, levels and codebook points that leave the least error. */
package dev.stowage.reference.quant.search;
