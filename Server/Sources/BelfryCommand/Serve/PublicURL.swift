/// The origin under which browsers reach the server: a scheme, a host and perhaps a port, by their grammar (RFC 6454 §6.2).
struct PublicURL: Hashable, Sendable {
    static let form = "an address such as https://belfry.example.com, without a path"
    static let maximumLength = 255

    /// The origin in lower case, without a slash at its end.
    let origin: String

    init?(_ text: String) {
        var bytes = Array(text.utf8.prefix(Self.maximumLength + 1))
        if bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        guard bytes.count <= Self.maximumLength else { return nil }
        let lowered = bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        guard let scheme = ["https://", "http://"].first(where: { lowered.starts(with: $0.utf8) }) else { return nil }
        let host = lowered.dropFirst(scheme.utf8.count)
        guard !host.isEmpty, host.allSatisfy(Self.isOfHost) else { return nil }
        origin = String(decoding: lowered, as: UTF8.self)
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }
}
