package dev.stowage.serve.route;

import dev.stowage.picture.PlanPicture;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.serve.http.Exchange;
import dev.stowage.serve.wire.ApiError;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The page at {@code /}, and the memory map of the plan, by itself and as a page. */
public final class PageRoutes {

    /** Nothing is loaded from elsewhere, and nobody shows the page inside theirs. */
    private static final String POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
            + " img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final Served served;
    private final String page;

    public PageRoutes(Served served) {
        this.served = served;
        try (InputStream in = Objects.requireNonNull(PageRoutes.class.getResourceAsStream("page.html"))) {
            this.page = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void page(Exchange exchange) throws IOException {
        exchange.withHeader("Content-Security-Policy", POLICY)
                .withHeader("X-Content-Type-Options", "nosniff")
                .withHeader("Referrer-Policy", "no-referrer")
                .withHeader("Cache-Control", "no-cache")
                .respond("text/html; charset=utf-8", page);
    }

    /** The map as a picture. */
    public void picture(Exchange exchange) throws IOException {
        exchange.respond("image/svg+xml", PlanPicture.svg(plan()));
    }

    /** The map as a page to search and zoom in. */
    public void map(Exchange exchange) throws IOException {
        exchange.respond("text/html; charset=utf-8", PlanPicture.html(plan(), served.name()));
    }

    private MemoryPlan plan() {
        return served.plan()
                .orElseThrow(() -> ApiError.notFound("this server was started without the plan of its memory"))
                .schedule()
                .plan();
    }
}
