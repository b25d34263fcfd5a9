import BelfryModel
import BelfryWire
import Hummingbird

/// The response when no request could be read, so there is no path or method to refer to.
struct MalformedRequest: Error, Hashable, Sendable {
    let head: HTTPResponse
    let body: ByteBuffer

    static let notHTTP = MalformedRequest(
        .badRequest, ErrorCode.badRequest, "This is not an HTTP/1.1 request. Check its first line and headers."
    )
    static let headersTooLarge = MalformedRequest(
        .requestHeaderFieldsTooLarge, ErrorCode.headersTooLarge,
        "The URL or the headers are too long, or there are too many headers."
    )
    static let badHost = MalformedRequest(
        .badRequest, ErrorCode.badRequest, "An HTTP/1.1 request has exactly one header Host, with a name or an address."
    )
    static let badFraming = MalformedRequest(
        .badRequest, ErrorCode.badRequest,
        "The length of the body is unclear: send a Content-Length, or Transfer-Encoding: chunked (HTTP/1.1)."
    )
    static let notStreamSafe = MalformedRequest(
        .badRequest, ErrorCode.badRequest,
        "The address or a header has more than \(StreamSafeText.longestRun) combining marks one behind the other."
    )
    static let unknownCoding = MalformedRequest(
        .notImplemented, ErrorCode.notSupported, "The only supported Transfer-Encoding is chunked."
    )

    /// Other requests left no memory for it (SEC-12).
    static let crowdedOut = MalformedRequest(
        .serviceUnavailable, ErrorCode.unavailable,
        "There are too many incomplete requests. Send this one again in a moment.", [.retryAfter: "5"]
    )

    /// - Parameter message: goes into JSON as it is.
    private init(
        _ status: HTTPResponse.Status, _ code: String, _ message: String, _ more: HTTPFields = [:]
    ) {
        let body = ByteBuffer(string: #"{"error":{"code":"\#(code)","message":"\#(message)"}}"#)
        self.body = body
        var fields: HTTPFields = [
            .connection: "close", .contentType: "application/json", .contentLength: String(body.readableBytes),
            .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        ]
        fields.append(contentsOf: more)
        head = HTTPResponse(status: status, headerFields: fields)
    }
}
