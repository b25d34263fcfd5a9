import BelfryServices
import BelfryWire
import Foundation
import Hummingbird

extension Request {
    /// The body, decoded. Unknown fields are ignored and explicit nulls count as absent.
    ///
    /// - Parameter meter: counts the bytes (SEC-9); nil: they are not counted.
    @inline(never)  // Inlined, with the instrumentation of a fuzzer, it ends the compiler of Swift 6.3.
    func json<Body: Decodable>(_ type: Body.Type, meter: UploadMeter? = nil) async throws -> Body {
        let bytes = try await bodyBytes(meter: meter)
        let body = try JSONBody.decode(type, from: bytes)
        try meter?.admitRead(bytes: bytes.count)
        return body
    }

    /// The bytes of a body with a JSON content type.
    ///
    /// - Parameter meter: counts the bytes for the sender before they are read. The caller counts them for the app,
    ///   after reading (``UploadMeter/admitRead(bytes:events:)``).
    func bodyBytes(meter: UploadMeter? = nil) async throws -> [UInt8] {
        var request = self
        let buffer = try await request.collectBounded()
        guard buffer.readableBytes > 0 else { throw APIError.noBody }
        guard headers[.contentType].map(Self.isJSON) == true else {
            throw APIError(
                .unsupportedMediaType, ErrorCode.unsupportedMediaType,
                "A body has the content type application/json.",
                target: "Content-Type"
            )
        }
        let bytes = try decoded(buffer)
        guard !bytes.isEmpty else { throw APIError.noBody }
        try meter?.admit(bytes: bytes.count)
        return bytes
    }

    static func isJSON(_ contentType: String) -> Bool {
        // By bytes: the semicolon counts, whatever mark follows it (SEC-7).
        let type = Substring(contentType.utf8.prefix { $0 != UInt8(ascii: ";") })
            .trimmingCharacters(in: .whitespaces).lowercased()
        return type == "application/json"
            || (type.utf8.contains(UInt8(ascii: "/")) && type.utf8.reversed().starts(with: "+json".utf8.reversed()))
    }
}
