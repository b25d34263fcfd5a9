import BelfryWire
import Hummingbird

extension Request {
    /// The whole body as received, within its limit (WIRE-23).
    mutating func collectBounded() async throws -> ByteBuffer {
        do {
            return try await collectBody(upTo: WireLimits.maximumBodyBytes)
        } catch let error as any HTTPResponseError where error.status == .contentTooLarge {
            throw APIError.bodyTooLarge
        }
    }

    /// The decompressed bytes of a body (WIRE-27); the limit applies to the result, too.
    func decoded(_ body: ByteBuffer) throws(APIError) -> [UInt8] {
        let bytes = Array(body.readableBytesView)
        guard let header = headers[.contentEncoding] else { return bytes }
        let coding: ContentCoding?
        do {
            coding = try ContentCoding(header: header)
        } catch {
            throw .unknownCoding
        }
        guard let coding else { return bytes }
        do {
            return try Inflation(coding: coding, limit: WireLimits.maximumBodyBytes).unpacked(bytes)
        } catch {
            throw APIError(error)
        }
    }
}

extension APIError {
    fileprivate static let unknownCoding = APIError(
        .unsupportedMediaType, ErrorCode.unsupportedMediaType,
        "A body may be uncompressed or in one of these codings: \(ContentCoding.accepted).", target: "Content-Encoding",
        headers: [.acceptEncoding: ContentCoding.accepted]
    )

    fileprivate init(_ failure: Inflation.Failure) {
        switch failure {
        case .tooLarge:
            self = .bodyTooLarge
        case .broken:
            self.init(
                .badRequest, ErrorCode.invalidBody, "The body does not match its Content-Encoding.",
                target: "Content-Encoding"
            )
        }
    }
}
