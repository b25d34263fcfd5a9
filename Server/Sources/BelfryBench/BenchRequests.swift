import BelfryPush

/// Makes requests like those of a campaign to APNs, each different from all others. It writes bytes in place, without
/// an encoder and without the system's random numbers, so that only the engine is measured.
struct BenchRequests {
    /// As long as a real one: header, claims and signature of an ES256 token.
    private static let authorization =
        "bearer eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzUwMDAwMDAwfQ."
        + "MEUCIQDkQmVsZnJ5QmVuY2htYXJrU2lnbmF0dXJlTm90VmFsaWRBdEFsbDAxMjM0NTY3ODkwMTIzNDU2Nzg5MA"
    private static let bodyStart =
        #"{"aps":{"alert":{"title":"Your order is on its way","body":"It arrives today between 14:00 and 16:00. "#
        + #"Follow it in the app."},"sound":"default"},"belfry":{"sid":""#
    private static let bodyEnd = #""}}"#

    private let pathPrefix: [UInt8]
    private let common: CommonHeaders
    private let body: [UInt8]
    private let sidOffset: Int
    private var state: UInt64

    init(pathPrefix: String, seed: UInt64) {
        self.pathPrefix = Array(pathPrefix.utf8)
        common = CommonHeaders([
            HeaderField("authorization", Self.authorization),
            HeaderField("apns-topic", "com.example.shop"),
            HeaderField("apns-push-type", "alert"),
            HeaderField("apns-priority", "10"),
        ])
        body = Array((Self.bodyStart + String(repeating: "0", count: 36) + Self.bodyEnd).utf8)
        sidOffset = Self.bodyStart.utf8.count
        state = seed
    }

    mutating func make(_ count: Int) -> [PushRequest] {
        (0..<count).map { _ in make() }
    }

    private mutating func make() -> PushRequest {
        let token = (next(), next(), next(), next())
        let path = String(unsafeUninitializedCapacity: pathPrefix.count + 64) { bytes in
            var end = bytes.initialize(fromContentsOf: pathPrefix)
            end = Self.write(token.0, to: bytes, at: end)
            end = Self.write(token.1, to: bytes, at: end)
            end = Self.write(token.2, to: bytes, at: end)
            return Self.write(token.3, to: bytes, at: end)
        }
        let high = next()
        let low = next()
        let id = String(unsafeUninitializedCapacity: 36) { Self.writeUUID(high, low, to: $0, at: 0) }
        var body = self.body
        body.withUnsafeMutableBufferPointer { _ = Self.writeUUID(high, low, to: $0, at: sidOffset) }
        return PushRequest(path: path, common: common, fields: [HeaderField("apns-id", id)], body: body)
    }

    /// SplitMix64 (Steele, Lea and Flood 2014): fast, and it does not repeat within 2⁶⁴ numbers.
    private mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

extension BenchRequests {
    /// Writes 16 digits and returns the position after them. The caller must have made room.
    private static func write(_ word: UInt64, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
        for place in 0..<16 { bytes[start + place] = digit(word, place) }
        return start + 16
    }

    /// Writes 36 bytes and returns the position after them. The caller must have made room.
    private static func writeUUID(
        _ high: UInt64,
        _ low: UInt64,
        to bytes: UnsafeMutableBufferPointer<UInt8>,
        at start: Int
    ) -> Int {
        var end = start
        for place in 0..<32 {
            if place == 8 || place == 12 || place == 16 || place == 20 {
                bytes[end] = UInt8(ascii: "-")
                end += 1
            }
            bytes[end] = digit(place < 16 ? high : low, place & 15)
            end += 1
        }
        return end
    }

    private static func digit(_ word: UInt64, _ place: Int) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * place)) & 0x0f
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }
}
