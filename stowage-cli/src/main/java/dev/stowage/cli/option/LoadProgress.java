package dev.stowage.cli.option;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.Progress;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.fit.DevicePlan;
import java.util.Locale;
import java.util.function.Supplier;

/** Shows how far the loading of a model is, and passes the news on. */
public final class LoadProgress implements LoadListener {

    private final Progress progress;
    private final LoadListener next;

    /**
     * @param progress the line on the terminal
     * @param next who else is notified
     */
    public LoadProgress(Progress progress, LoadListener next) {
        this.progress = progress;
        this.next = next;
    }

    @Override
    public void placed(Supplier<DevicePlan> plan) {
        next.placed(plan);
    }

    @Override
    public void loaded(long done, long all) {
        next.loaded(done, all);
        progress.show(text(done, all));
    }

    /** How far loading is, in one line. */
    static String text(long done, long all) {
        return String.format(
                Locale.ROOT,
                "loading, %d %%, %s of %s",
                all == 0 ? 100 : Math.round(100.0 * done / all),
                ByteSize.format(done),
                ByteSize.format(all));
    }
}
