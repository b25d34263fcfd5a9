/// The 32 bytes of a device token, or of a subscription: a key for a registry of millions without a heap allocation for
/// each.
struct DeviceTokenKey: Hashable, Sendable {
    /// The number of hexadecimal digits of a token of this simulator. (Apple promises no length.)
    static let digits = 64

    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    /// Nil if the text is not 64 hexadecimal digits.
    init?(_ text: some StringProtocol) {
        var digits = text.utf8.makeIterator()
        func word() -> UInt64? {
            var word: UInt64 = 0
            for _ in 0..<16 {
                guard let digit = digits.next(), let value = Hexadecimal.value(of: digit) else { return nil }
                word = word << 4 | value
            }
            return word
        }
        guard let first = word(), let second = word(), let third = word(), let fourth = word(), digits.next() == nil
        else { return nil }
        self.init(first, second, third, fourth)
    }

    /// The token as a device would register it: 64 lowercase digits.
    var text: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(Self.digits)
        for word in [first, second, third, fourth] {
            Hexadecimal.append(word, to: &digits)
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The token as 43 base64url characters, as in the token of an Android device and in an endpoint.
    var base64URL: String { SimulatorBase64URL.encode(bytes) }

    /// Nil if the text is not 32 bytes in base64url.
    init?(base64URL text: some StringProtocol) {
        guard text.utf8.count == 43, let bytes = SimulatorBase64URL.decode(text), bytes.count == 32 else { return nil }
        self.init(bytes: bytes)
    }

    /// Uses the first 32 bytes.
    init(bytes: [UInt8]) {
        self.init(
            Self.word(bytes[0..<8]), Self.word(bytes[8..<16]), Self.word(bytes[16..<24]), Self.word(bytes[24..<32]))
    }

    /// In network order.
    var bytes: [UInt8] {
        [first, second, third, fourth].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The token's shard. Tokens are random, so their first bits distribute them evenly.
    func shard(of count: Int) -> Int {
        Int(first % UInt64(count))
    }
}
