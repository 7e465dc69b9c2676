package dev.stowage.graph;

/**
 * The common supertype of the families of op functions. Each family is an interface of default methods, which keeps
 * files small; {@link GraphBuilder} implements all of them.
 */
sealed interface OpFamily
        permits ElementwiseOps,
                UnaryOps,
                GluOps,
                NormOps,
                MatrixOps,
                AttentionOps,
                PositionOps,
                ShapeOps,
                CopyOps,
                ReductionOps,
                WindowOps,
                ImageOps,
                GeneratorOps,
                RecurrentOps,
                HyperConnectionOps,
                CustomOps {}
