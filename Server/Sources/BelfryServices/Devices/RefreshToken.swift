import BelfryPush
import BelfryStore
import Crypto
import Foundation

/// What a device gets new contact tokens by (WIRE-4): the number of the device, a point, and 256 bits that nobody can
/// guess.
///
/// The number leads to the one shard that has the token's row (FLEET-5). It is no secret: each contact token of the device
/// says it, too. And it proves nothing. What is stored is a hash of the whole text, so these bits behind another number are
/// a token that nobody has; and whatever the row says of its device and generation decides what the token is worth (SEC-10).
struct RefreshToken: Hashable, Sendable {
    /// Nil for a token of the former form, which is the secret alone. It works until the device links again.
    let device: Int64?
    /// All that is stored of it.
    let hash: [UInt8]

    private static let point = UInt8(ascii: ".")
    private static let secretBytes = 32
    /// In base64 without padding.
    private static let secretLength = 43
    /// The number of a device has at most 19 digits.
    private static let maximumLength = 19 + 1 + secretLength

    static func secret(_ environment: ServerEnvironment) -> String {
        Base64URL.encode(environment.randomBytes(secretBytes))
    }

    /// The token that a device gets.
    static func text(of device: Int64, secret: String) -> String { "\(device).\(secret)" }

    /// The hash of the token that a device gets.
    static func hash(of device: Int64, secret: String) -> [UInt8] { hash(text(of: device, secret: secret)) }

    /// Nil for what no server has ever given out: it is told by its bytes, and looked for nowhere.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let parts = Array(text.utf8).split(separator: Self.point, omittingEmptySubsequences: false)
        guard let secret = parts.last, secret.count == Self.secretLength, secret.allSatisfy(Self.isOfSecret) else {
            return nil
        }
        switch parts.count {
        case 1: device = nil
        case 2:
            guard let number = Self.number(parts[0]) else { return nil }
            device = number
        default: return nil
        }
        hash = Self.hash(text)
    }

    /// A number as it is written in a token, in one way: no sign, and no zero in front.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard let first = digits.first, first != UInt8(ascii: "0"), digits.allSatisfy(isDigit) else { return nil }
        var number: Int64 = 0
        for digit in digits {
            let tens = number.multipliedReportingOverflow(by: 10)
            let sum = tens.partialValue.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            guard !tens.overflow, !sum.overflow else { return nil }
            number = sum.partialValue
        }
        return number
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isOfSecret(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func hash(_ text: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(text.utf8)))
    }
}

extension RefreshTokenRepository {
    /// What a token stands for. One of the former form does not say where its row is.
    func find(_ token: RefreshToken) throws -> Grant? {
        guard let device = token.device else { return try find(hash: token.hash) }
        return try find(hash: token.hash, device: device)
    }
}
