import BelfryModel
import BelfryPush
import CryptoExtras
import Foundation

/// The stored form of a password: an scrypt hash with its salt and its cost (RFC 7914). So the cost can be raised later
/// without new passwords.
package struct PasswordHash: Hashable, Sendable {
    /// The cost of new hashes: 2^15 rounds over blocks of 8, 32 MiB and about a tenth of a second.
    static let standard = Cost(logRounds: 15, blockSize: 8, parallelism: 1)

    struct Cost: Hashable, Sendable {
        let logRounds: Int
        let blockSize: Int
        let parallelism: Int
    }

    let cost: Cost
    let salt: [UInt8]
    let hash: [UInt8]

    /// - Parameter salt: 16 random bytes.
    init(of password: String, salt: [UInt8], cost: Cost = standard) throws {
        self.cost = cost
        self.salt = salt
        hash = try Self.derive(password, salt: salt, cost: cost)
    }

    /// Reads the format of ``text``.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count == 6, parts[0] == "scrypt",
            let logRounds: Int = WholeNumber.read(parts[1]), (1...20).contains(logRounds),
            let blockSize: Int = WholeNumber.read(parts[2]), (1...32).contains(blockSize),
            let parallelism: Int = WholeNumber.read(parts[3]), (1...16).contains(parallelism),
            let salt = Base64URL.decode(parts[4]), let hash = Base64URL.decode(parts[5]), hash.count == 32
        else { return nil }
        cost = Cost(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism)
        self.salt = salt
        self.hash = hash
    }

    /// The stored format: `scrypt$15$8$1$SALT$HASH`.
    var text: String {
        "scrypt$\(cost.logRounds)$\(cost.blockSize)$\(cost.parallelism)$\(Base64URL.encode(salt))"
            + "$\(Base64URL.encode(hash))"
    }

    func matches(_ password: String) throws -> Bool {
        constantTimeEqual(try Self.derive(password, salt: salt, cost: cost), hash)
    }

    private static func derive(_ password: String, salt: [UInt8], cost: Cost) throws -> [UInt8] {
        try KDF.Scrypt.deriveKey(
            from: Data(password.utf8), salt: salt, outputByteCount: 32, rounds: 1 << cost.logRounds,
            blockSize: cost.blockSize, parallelism: cost.parallelism, maxMemory: 256 << 20
        ).withUnsafeBytes { Array($0) }
    }
}
