/** Products of matrices: generic ones for every type, products with vectors, and the tensor-core GEMM. */
@NullMarked
package dev.stowage.cuda.op.matrix;

import org.jspecify.annotations.NullMarked;
