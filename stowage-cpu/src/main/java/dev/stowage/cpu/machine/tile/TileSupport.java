package dev.stowage.cpu.machine.tile;

import dev.stowage.cpu.machine.MachineSupport;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whether this process multiplies quantised weights by machine code. It does where there is {@linkplain MachineSupport machine
 * code} and it computes what it should. Nothing is asked before there are weights that it matters to.
 */
public final class TileSupport {

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    private static final Map<TileType, Boolean> CHECKED = new ConcurrentHashMap<>();

    private TileSupport() {}

    /** Kernels stay as long as the process does: any graph may use them. */
    private static final class Probed {

        private static final Optional<TileKernels> KERNELS = MachineSupport.best(
                        List.of(TileLevel.values()), TileLevel::features)
                .map(TileKernels::new);

        private Probed() {}
    }

    /** Whether there is machine code at all. */
    public static boolean isPresent() {
        return Probed.KERNELS.isPresent();
    }

    /** The instructions that tiles are written with here. */
    public static Optional<TileLevel> level() {
        return Probed.KERNELS.map(TileKernels::level);
    }

    /** Whether weights of a type can be multiplied by machine code. */
    public static boolean has(TileType type) {
        return Probed.KERNELS.isPresent()
                && CHECKED.computeIfAbsent(type, checked -> isRight(Probed.KERNELS.get(), checked));
    }

    private static boolean isRight(TileKernels kernels, TileType type) {
        Optional<String> wrong;
        try {
            wrong = TileCheck.firstWrong(kernels, type);
        } catch (UnsupportedOperationException e) {
            wrong = Optional.of(String.valueOf(e.getMessage()));
        }
        wrong.ifPresent(reason ->
                LOGGER.log(System.Logger.Level.WARNING, "no machine code for weights of " + type + ": " + reason));
        return wrong.isEmpty();
    }

    /**
     * The kernels of this process.
     *
     * @throws UnsupportedOperationException if there is no machine code here
     */
    public static TileKernels kernels() {
        return Probed.KERNELS.orElseThrow(
                () -> new UnsupportedOperationException("this process has no machine code: the log says why"));
    }
}
