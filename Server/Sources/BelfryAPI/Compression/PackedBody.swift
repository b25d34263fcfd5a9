import Hummingbird
import NIOCore

/// A long body that is the same for everybody, compressed once instead of for each caller (SEC-2).
struct PackedBody: Sendable {
    private let plain: ByteBuffer
    /// Nil if zlib could not allocate memory.
    private let packed: ByteBuffer?

    init(_ bytes: [UInt8]) {
        plain = ByteBuffer(bytes: bytes)
        packed = Deflation.gzip(bytes).map { ByteBuffer(bytes: $0) }
    }

    /// A response with this body, compressed if the client accepts that (WIRE-27).
    func response(to request: Request, type: String) -> Response {
        guard let packed, let accepted = request.headers[.acceptEncoding], AcceptedEncoding.prefersGzip(accepted) else {
            return Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: plain))
        }
        var response = Response(
            status: .ok, headers: [.contentType: type, .contentEncoding: "gzip"],
            body: ResponseBody(byteBuffer: packed)
        )
        response.vary(by: .acceptEncoding)
        return response
    }
}
