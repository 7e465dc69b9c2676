package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.machine.tile.Panel;
import dev.stowage.cpu.machine.tile.TileKernels;
import dev.stowage.cpu.machine.tile.TileSupport;
import dev.stowage.cpu.machine.tile.TileType;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;

/** Columns rounded to eight bits and put side by side for machine code, matrix by matrix; see {@link Panel}. */
final class RoundedPanels {

    private final TileType type;
    private final Operand source;
    private final PanelWidths widths;
    private final Scratch panels;

    private RoundedPanels(TileType type, Operand source, Scratch panels) {
        this.type = type;
        this.source = source;
        this.widths = new PanelWidths((int) source.d1);
        this.panels = panels;
    }

    /** The columns in slot 1, as weights of a type in slot 0 meet them. Nodes that read the same columns share them. */
    static RoundedPanels of(NodeBuilder node, TileType type) {
        Operand source = node.operand(1);
        ActivationColumns columns = ActivationColumns.of(node, 1);
        Scratch panels = node.derived(
                1,
                "panels " + type.columns(),
                Panel.bytes(type, 1, source.d0) * source.rows(),
                target -> new Rounding(columns, new RoundedPanels(type, source, target), node.threads()));
        return new RoundedPanels(type, source, panels);
    }

    /** How the columns of each matrix are cut. */
    PanelWidths widths() {
        return widths;
    }

    /** The address of a panel. */
    long at(int panel, long i2, long i3) {
        long columnsBefore = (i3 * source.d2 + i2) * source.d1 + widths.first(panel);
        return panels.address() + Panel.bytes(type, 1, source.d0) * columnsBefore;
    }

    private static final class Rounding extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.15;

        private final ActivationColumns columns;
        private final RoundedPanels target;
        private final TileKernels.Rounding kernel;

        Rounding(ActivationColumns columns, RoundedPanels target, int threads) {
            super(target.source.rows(), target.source.d0 * NANOS_PER_ELEMENT, threads);
            this.columns = columns;
            this.target = target;
            this.kernel = TileSupport.kernels().rounding(target.type);
        }

        @Override
        protected void run(long from, long to, int thread) {
            Operand source = target.source;
            for (long row = from; row < to; row++) {
                int column = (int) (row % source.d1);
                long i2 = row / source.d1 % source.d2;
                long i3 = row / source.d1 / source.d2;
                int panel = target.widths.panel(column);
                kernel.round(
                        columns.at(column, i2, i3),
                        source.d0,
                        target.at(panel, i2, i3),
                        target.widths.width(panel),
                        column - target.widths.first(panel));
            }
        }
    }
}
