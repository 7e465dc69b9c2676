package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.machine.tile.Panel;

/**
 * How many columns go into panels: as many full ones as there are, except that two panels share what would leave the last
 * one less than half full. A narrow panel costs nearly as much as a wide one, since weights are unpacked for both.
 *
 * @param columns how many there are
 */
record PanelWidths(int columns) {

    private static final int FULL = Panel.MOST_COLUMNS;

    /** How many panels there are. */
    int count() {
        return Math.ceilDiv(columns, FULL);
    }

    /** The first column of a panel; for the number after the last, how many columns there are. */
    int first(int panel) {
        int rest = columns % FULL;
        if (panel >= count()) {
            return columns;
        }
        boolean isShared = rest > 0 && rest < FULL / 2 && panel > 0 && panel == count() - 1;
        return isShared ? (panel - 1) * FULL + Math.ceilDiv(FULL + rest, 2) : panel * FULL;
    }

    /** How many columns a panel has. */
    int width(int panel) {
        return first(panel + 1) - first(panel);
    }

    /** The panel that has a column. */
    int panel(int column) {
        int guess = Math.min(column / FULL, count() - 1);
        return guess + 1 < count() && column >= first(guess + 1) ? guess + 1 : guess;
    }
}
