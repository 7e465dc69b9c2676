package dev.stowage.graph;

/**
 * What all families of op functions have in common: the builder behind them. Each family is an interface of default
 * methods so that it fits on a few pages; there is one builder, which has them all.
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
