import BelfryModel

/// Reads certificates that an operator wants to be trusted for a push service, as PEM.
enum TrustRoots {
    /// Bytes of the whole text.
    static let maximumLength = 262_144
    static let maximumCount = 64

    /// Each certificate as a PEM text of its own. That the bytes are a certificate shows when the first connection
    /// is made; here each is an ASN.1 sequence.
    static func parse(_ pem: String) throws(Refusal) -> [String] {
        guard pem.utf8.count <= maximumLength else {
            throw Refusal(code: "tooLong", message: "Trust roots have at most \(maximumLength) bytes.")
        }
        let sequenceTag: UInt8 = 0x30
        guard let blocks = PEMBlock.blocks(in: pem), (1...maximumCount).contains(blocks.count),
            blocks.allSatisfy({ $0.label == "CERTIFICATE" && $0.der.first == sequenceTag })
        else {
            throw Refusal(
                code: "invalidTrustRoots",
                message: "Trust roots are 1 to \(maximumCount) certificates as PEM ('-----BEGIN CERTIFICATE-----' …)."
            )
        }
        return blocks.map(\.text)
    }
}
