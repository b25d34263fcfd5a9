import BelfryWire
import Hummingbird

/// What is answered where no request could be read: there is no address and no method to say anything of.
struct MalformedRequest: Error, Hashable, Sendable {
    let head: HTTPResponse
    let body: ByteBuffer

    static let notHTTP = MalformedRequest(
        .badRequest, ErrorCode.badRequest, "This is no request that HTTP/1.1 knows: look at its first line and headers."
    )
    static let headersTooLarge = MalformedRequest(
        .requestHeaderFieldsTooLarge, ErrorCode.headersTooLarge,
        "The address or the headers are too long, or there are too many headers."
    )
    static let badHost = MalformedRequest(
        .badRequest, ErrorCode.badRequest, "A request of HTTP/1.1 has one header Host: a name or an address."
    )
    static let badFraming = MalformedRequest(
        .badRequest, ErrorCode.badRequest,
        "Where the body ends cannot be told: it has a Content-Length, or the Transfer-Encoding chunked (HTTP/1.1)."
    )
    static let unknownCoding = MalformedRequest(
        .notImplemented, ErrorCode.notSupported, "The only Transfer-Encoding that is known here is chunked."
    )

    /// - Parameter message: goes into JSON as it is.
    private init(_ status: HTTPResponse.Status, _ code: String, _ message: String) {
        let body = ByteBuffer(string: #"{"error":{"code":"\#(code)","message":"\#(message)"}}"#)
        self.body = body
        head = HTTPResponse(
            status: status,
            headerFields: [
                .connection: "close", .contentType: "application/json", .contentLength: String(body.readableBytes),
                .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            ]
        )
    }
}
