package dev.stowage.serve.wire;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.BusyException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.error.StowageException;
import java.util.LinkedHashMap;
import java.util.Map;

/** A refusal or a failure as clients of OpenAI's interface read it: an HTTP status, a type, and a message for people. */
public final class ApiError extends RuntimeException {

    private final int status;
    private final String type;
    private final String param;
    private final transient Map<String, Object> more = new LinkedHashMap<>();

    private ApiError(int status, String type, String param, String message) {
        super(message, null, false, false);
        this.status = status;
        this.type = type;
        this.param = param;
    }

    /** A request that is wrong as a whole. */
    public static ApiError invalid(String message) {
        return invalid("", message);
    }

    /** A request with a field that is wrong. */
    public static ApiError invalid(String param, String message) {
        return new ApiError(400, "invalid_request_error", param, message);
    }

    public static ApiError unauthorized(String message) {
        return new ApiError(401, "authentication_error", "", message);
    }

    public static ApiError forbidden(String message) {
        return new ApiError(403, "permission_error", "", message);
    }

    public static ApiError notFound(String message) {
        return new ApiError(404, "not_found_error", "", message);
    }

    public static ApiError wrongMethod(String message) {
        return new ApiError(405, "invalid_request_error", "", message);
    }

    /** What did not come in time; the connection is of no use any more. */
    public static ApiError slow(String message) {
        return new ApiError(408, "invalid_request_error", "", message);
    }

    public static ApiError tooLarge(String message) {
        return new ApiError(413, "invalid_request_error", "", message);
    }

    public static ApiError unsupportedEncoding(String message) {
        return new ApiError(415, "invalid_request_error", "", message);
    }

    /** What only a client hears that has closed its side of the connection and still reads. */
    public static ApiError gone() {
        return invalid(
                "the client closed its side of the connection before the answer was there: keep it open until then");
    }

    public static ApiError busy(String message) {
        return new ApiError(429, "rate_limit_error", "", message);
    }

    public static ApiError unavailable(String message) {
        return new ApiError(503, "unavailable_error", "", message);
    }

    /** What the model was on is gone, and only another start brings it back. */
    public static ApiError lost(DeviceLostException loss) {
        return unavailable(
                "device '" + loss.device() + "' is lost, with what this server had on it: start the server again");
    }

    /** Something that failed in here. */
    public static ApiError failed(String message) {
        return new ApiError(500, "server_error", "", message);
    }

    /** What the HTTP server itself refuses. */
    public static ApiError ofStatus(int status, String message) {
        return new ApiError(status, status < 500 ? "invalid_request_error" : "server_error", "", message);
    }

    /** What the engine says of a request that was submitted to it. */
    public static ApiError of(RuntimeException failure) {
        String message = String.valueOf(failure.getMessage());
        return switch (failure) {
            case ApiError error -> error;
            case BusyException _ -> busy(message);
            case ClosedException _ -> unavailable("the server is stopping");
            case DeviceLostException lost -> lost(lost);
            case AllocationException full -> {
                ApiError error = new ApiError(400, "exceed_context_size_error", "", message);
                error.more.put("n_prompt_tokens", full.requestedBytes());
                error.more.put("n_ctx", full.availableBytes());
                yield error;
            }
            case AccessException _ -> invalid(message);
            case InvalidPlanException _ -> invalid(message);
            case MalformedDataException _ -> invalid(message);
            case StowageException _ -> failed(message);
            default -> failed("this server failed: " + failure);
        };
    }

    /** What ended a request that had begun. What it asked for, such as its grammar, may have been too much. */
    public static ApiError ofRun(RuntimeException failure) {
        return switch (failure) {
            case ApiError error -> error;
            case ClosedException _, DeviceLostException _, MalformedDataException _ -> of(failure);
            default -> failed(String.valueOf(failure.getMessage()));
        };
    }

    public int status() {
        return status;
    }

    /** Whether nothing is read from the client any more. */
    public boolean endsConnection() {
        return status == 408;
    }

    /** The body of the response, and the data of the event where it comes in the middle of a stream. */
    public Map<String, Object> json() {
        Map<String, Object> error = Json.object(
                "code",
                status,
                "message",
                String.valueOf(getMessage()),
                "type",
                type,
                "param",
                param.isEmpty() ? Json.NULL : param);
        error.putAll(more);
        return Json.object("error", error);
    }
}
