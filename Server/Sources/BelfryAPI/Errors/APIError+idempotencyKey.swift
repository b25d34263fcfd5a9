import BelfryServices
import BelfryWire
import Hummingbird

extension APIError {
    /// A key has 1 to 255 characters of visible ASCII.
    static func refuseUnfit(idempotencyKey key: String) throws(APIError) {
        guard (1...IdempotentWrites.maximumKeyLength).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw APIError(
                .badRequest, ErrorCode.invalidIdempotencyKey,
                "An idempotency key has 1 to \(IdempotentWrites.maximumKeyLength) visible ASCII characters.",
                target: HeaderNames.idempotencyKey
            )
        }
    }
}
