import BelfryWire
import Hummingbird

/// What is answered where no request could be read: there is no address and no method to say anything of.
struct MalformedRequest: Sendable {
    let head: HTTPResponse
    let body: ByteBuffer

    static let notHTTP = MalformedRequest(
        .badRequest, ErrorCode.badRequest, "This is no request that HTTP/1.1 knows: look at its first line and headers."
    )
    static let headersTooLarge = MalformedRequest(
        .requestHeaderFieldsTooLarge, ErrorCode.headersTooLarge,
        "The address or the headers are too long, or there are too many headers."
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
