package dev.stowage.cuda.op.attention;

/** How large grids may be. */
final class GridLimits {

    /** The most blocks along the second and the third dimension. */
    static final int MOST_Z = 65535;

    private GridLimits() {}
}
