/** How blocks store numbers: little-endian fields, packed bits, 16-bit floats, rounding. */
package dev.stowage.reference.quant.bits;
