import BelfryPush
import BelfryStore
import Crypto
import Foundation

/// The token with which a device gets new contact tokens (WIRE-4): the number of the device, a point, and 256 random
/// bits.
///
/// The number leads to the one shard that has the token's row (FLEET-5). It is no secret, since each contact token of
/// the device contains it, and it proves nothing. The store has a hash of the whole text, so the same bits behind
/// another number are an unknown token. The device and generation in the row decide what the token is worth (SEC-10).
struct RefreshToken: Hashable, Sendable {
    /// Nil for a token of the former form, which is the secret alone. It works until the device links again.
    let device: Int64?
    /// The hash of the whole text, which is all that is stored of it.
    let hash: [UInt8]

    private static let point = UInt8(ascii: ".")
    private static let secretBytes = 32
    /// The length of the secret, in base64 without padding.
    private static let secretLength = 43
    /// The length of the longest token. The number of a device has at most 19 digits.
    private static let maximumLength = 19 + 1 + secretLength

    static func secret(_ environment: ServerEnvironment) -> String {
        Base64URL.encode(environment.randomBytes(secretBytes))
    }

    /// The token of a device, as text.
    static func text(of device: Int64, secret: String) -> String { "\(device).\(secret)" }

    /// The hash of a device's token, which the store keeps.
    static func hash(of device: Int64, secret: String) -> [UInt8] { hash(text(of: device, secret: secret)) }

    /// Nil for a text that no server has ever issued: its bytes show it, without a lookup.
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

    /// A number as a token contains it: no sign, and no leading zero.
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
    /// The row of a token. A token of the former form does not say where its row is.
    func find(_ token: RefreshToken) throws -> Grant? {
        guard let device = token.device else { return try find(hash: token.hash) }
        return try find(hash: token.hash, device: device)
    }
}
