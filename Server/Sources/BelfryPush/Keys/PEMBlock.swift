import BelfryModel
import Foundation

/// One block of a PEM text (RFC 7468): its label and its bytes.
struct PEMBlock {
    /// `PRIVATE KEY`, `CERTIFICATE` …
    let label: String
    let der: Data

    /// The maximum length in bytes of a text and of a label.
    static let maximumLength = 262_144
    private static let maximumLabelLength = 64

    /// The blocks of a text. Other text around them is allowed, as in the RFC. Nil when a block is invalid, or the text
    /// is too long.
    static func blocks(in text: String) -> [PEMBlock]? {
        guard text.utf8.count <= maximumLength else { return nil }
        var blocks: [PEMBlock] = []
        var open: (label: String, base64: String)?
        for line in text.utf8.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let line = trimmed(line)
            if let label = label(of: line, after: "-----BEGIN ") {
                guard open == nil else { return nil }
                open = (label, "")
            } else if let label = label(of: line, after: "-----END ") {
                guard let block = open, block.label == label,
                    let der = Base64Text.bytes(block.base64, alphabet: .standard), !der.isEmpty
                else { return nil }
                blocks.append(PEMBlock(label: label, der: Data(der)))
                open = nil
            } else {
                open?.base64 += line
            }
        }
        return open == nil ? blocks : nil
    }

    /// The block as text, in lines of 64 characters.
    var text: String {
        let base64 = der.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"
    }

    private static func label(of line: String, after opening: String) -> String? {
        let closing = "-----"
        let line = Array(line.utf8)
        guard line.starts(with: opening.utf8), line.suffix(closing.utf8.count).elementsEqual(closing.utf8) else {
            return nil
        }
        let label = line.dropFirst(opening.utf8.count).dropLast(closing.utf8.count)
        guard (1...maximumLabelLength).contains(label.count), label.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            return nil
        }
        return String(decoding: label, as: UTF8.self)
    }

    /// The line without spaces and tabs at its ends.
    private static func trimmed(_ line: Substring.UTF8View) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        var bytes = Array(line.drop(while: isBlank))
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Reads the PEM certificates that an operator wants to trust for a push service.
enum TrustRoots {
    /// The maximum length of the text in bytes.
    static let maximumLength = 262_144
    static let maximumCount = 64

    /// Each certificate as a PEM text of its own. Only the first connection shows whether the bytes are a valid
    /// certificate; here each must be an ASN.1 sequence.
    static func parse(_ pem: String) throws(ValueError) -> [String] {
        guard pem.utf8.count <= maximumLength else {
            throw ValueError(code: "tooLong", message: "Trust roots have at most \(maximumLength) bytes.")
        }
        let sequenceTag: UInt8 = 0x30
        guard let blocks = PEMBlock.blocks(in: pem), (1...maximumCount).contains(blocks.count),
            blocks.allSatisfy({ $0.label == "CERTIFICATE" && $0.der.first == sequenceTag })
        else {
            throw ValueError(
                code: "invalidTrustRoots",
                message: "Trust roots are 1 to \(maximumCount) certificates as PEM ('-----BEGIN CERTIFICATE-----' …)."
            )
        }
        return blocks.map(\.text)
    }
}
