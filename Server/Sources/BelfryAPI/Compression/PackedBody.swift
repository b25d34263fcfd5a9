import Hummingbird
import NIOCore

/// A long body that is the same for everybody, with its packed form: made once, and not for each caller (SEC-2).
struct PackedBody: Sendable {
    private let plain: ByteBuffer
    /// Nil when zlib had no memory.
    private let packed: ByteBuffer?

    init(_ bytes: [UInt8]) {
        plain = ByteBuffer(bytes: bytes)
        packed = Deflation.gzip(bytes).map { ByteBuffer(bytes: $0) }
    }

    /// The answer with it, packed for who takes it so (WIRE-27).
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
