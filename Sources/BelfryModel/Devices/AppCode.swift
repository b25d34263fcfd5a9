/// The code that names an app in every address of the device API: 1 to 64 of `A–Z a–z 0–9 - _ .`, but not `.` and `..`,
/// which clients and proxies remove from an address.
public struct AppCode: Hashable, Sendable {
    public static let maximumLength = 64

    public let rawValue: String

    public init(_ raw: String) throws(ValueError) {
        guard (1...Self.maximumLength).contains(raw.utf8.count), raw.utf8.allSatisfy(Self.isAllowed), raw != ".",
            raw != ".."
        else {
            throw ValueError(
                code: "invalidAppCode",
                message:
                    "An app code has 1 to \(Self.maximumLength) letters, digits, '-', '_' or '.', and is not '.' or "
                    + "'..'."
            )
        }
        rawValue = raw
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default:
            false
        }
    }
}

extension AppCode: CustomStringConvertible {
    public var description: String { rawValue }
}
