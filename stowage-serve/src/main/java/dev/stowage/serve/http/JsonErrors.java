package dev.stowage.serve.http;

import dev.stowage.serve.wire.ApiError;
import dev.stowage.serve.wire.Json;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** What Jetty refuses by itself, such as a head that is too long, as JSON like all other errors. */
final class JsonErrors extends ErrorHandler {

    private static final String JSON = "application/json; charset=utf-8";

    @Override
    public boolean errorPageForMethod(String method) {
        return true;
    }

    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int code,
            @Nullable String message,
            @Nullable Throwable cause,
            Callback callback) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, JSON);
        // Jetty closes the connection, and does not say so where it could not read the version of the request.
        response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE.asString());
        response.write(true, body(code, message), callback);
    }

    /** Still what Jetty asks for heads that it cannot read. */
    @Override
    @SuppressWarnings("removal")
    public ByteBuffer badMessageError(int status, @Nullable String reason, HttpFields.Mutable fields) {
        fields.put(HttpHeader.CONTENT_TYPE, JSON);
        fields.put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE.asString());
        return body(status, reason);
    }

    private static ByteBuffer body(int status, @Nullable String reason) {
        String message = reason == null ? HttpStatus.getMessage(status) : reason;
        return ByteBuffer.wrap(Json.bytes(ApiError.ofStatus(status, message).json()));
    }
}
