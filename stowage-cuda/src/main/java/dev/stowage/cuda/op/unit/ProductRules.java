package dev.stowage.cuda.op.unit;

/** What has to hold for a product before it is launched: not all that can be asked of one goes together. */
final class ProductRules {

    private ProductRules() {}

    /**
     * Checks that a product can be launched.
     *
     * @throws IllegalArgumentException if not
     */
    static void require(UnitProduct product) {
        boolean isGated = product.gluNumber() > 0;
        int count = product.matrices().size();
        boolean isPublished = product.published().isPresent();
        require(count > 0, "has no matrix");
        require(!isGated || count == 2, "is a gated unit of two matrices");
        require(
                !isGated || product.matrix(0).rows() == product.matrix(1).rows(),
                "is a gated unit of matrices with the same rows");
        boolean isSingle = count == 1 || isGated;
        require(isSingle || !product.hasResidual(), "adds a residual to one result only");
        require(isSingle || !isPublished, "publishes one result only");
        require(
                !product.activations().isQuantized() || product.format().isQuantized(),
                "multiplies floats with floats");
        if (product.last().isPresent()) {
            boolean isOfOneToken = product.tokens() == 1 && product.experts().isEmpty();
            require(
                    isOfOneToken && count < UnitProduct.MAX_MATRICES,
                    "of matrices of two types has one token and up to three of the first type");
            require(!isGated && !isPublished && !product.hasResidual(), "of two types only stores results");
        }
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException("a product " + rule);
        }
    }
}
