package dev.stowage.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The examples of the documentation, which are taken from here. */
class ServeSnippetTest {

    private static String answer(Path file) throws IOException, InterruptedException {
        // @start region="serve"
        ModelOptions memory = ModelOptions.defaults().withSequences(4).withContext(4096);
        try (LanguageModel model = LanguageModel.open(file, memory, LoadListener.NONE);
                StowageServer server =
                        StowageServer.start(model, ServeOptions.defaults().withPort(0));
                HttpClient client = HttpClient.newHttpClient()) {
            URI address = server.address().resolve("/v1/completions");
            HttpRequest request = HttpRequest.newBuilder(address)
                    .POST(BodyPublishers.ofString("{\"prompt\": \"harbor, n.\", \"max_tokens\": 12}"))
                    .build();
            String answer = client.send(request, BodyHandlers.ofString()).body();
            server.close(Duration.ofSeconds(10)); // running requests get so long
            return answer;
        }
        // @end
    }

    @Test
    void aServerRunsInsideAProgram() throws IOException, InterruptedException {
        assertThat(answer(TestServer.lexicon())).contains("\"text_completion\"");
    }
}
