import BelfryPush
import Crypto
import Foundation

/// Small opaque values that the device stores for the server: numbers with a MAC over them and their purpose.
enum SignedValue {
    private static let macLength = 16

    static func make(_ numbers: [Int64], for subject: String, key: SymmetricKey) -> String {
        let payload = numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        return Base64URL.encode(payload + mac(payload, subject, key))
    }

    /// The numbers, or nil if the value is absent, outdated, forged or made for another subject.
    static func read(_ text: String?, count: Int, for subject: String, key: SymmetricKey) -> [Int64]? {
        guard let text, text.utf8.count <= 256, let bytes = Base64URL.decode(text),
            bytes.count == count * 8 + macLength
        else { return nil }
        let payload = Array(bytes.prefix(count * 8))
        guard constantTimeEqual(mac(payload, subject, key), Array(bytes.suffix(macLength))) else { return nil }
        return (0..<count).map { index in
            payload[(index * 8)..<(index * 8 + 8)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
    }

    /// The value with the epoch of the installation (SEC-10). Epoch 0 is left out, so that values from before epochs
    /// existed stay valid.
    ///
    /// No subject contains the null byte that precedes an epoch, so the two forms cannot be confused.
    static func make(_ numbers: [Int64], epoch: Int64, for subject: String, key: SymmetricKey) -> String {
        make(epoch == 0 ? numbers : numbers + [epoch], for: subject, key: key)
    }

    static func read(
        _ text: String?, count: Int, withEpochFor subject: String, key: SymmetricKey
    ) -> (numbers: [Int64], epoch: Int64)? {
        if let numbers = read(text, count: count, for: subject, key: key) { return (numbers, 0) }
        guard let numbers = read(text, count: count + 1, for: subject, key: key), let epoch = numbers.last, epoch > 0
        else { return nil }
        return (numbers.dropLast(), epoch)
    }

    private static func mac(_ payload: [UInt8], _ subject: String, _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(payload + Array(subject.utf8)), using: key).prefix(macLength))
    }
}

/// Compares in a time that does not depend on where two secrets differ.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
