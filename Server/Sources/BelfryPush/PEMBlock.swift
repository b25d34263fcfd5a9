import Foundation

/// One block of a PEM text (RFC 7468): its label and the bytes that it carries.
struct PEMBlock {
    /// `PRIVATE KEY`, `CERTIFICATE` …
    let label: String
    let der: Data

    /// The blocks of a text; text around them is allowed, as the RFC allows it. Nil when a block is broken.
    static func blocks(in text: String) -> [PEMBlock]? {
        var blocks: [PEMBlock] = []
        var open: (label: String, base64: String)?
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if let label = label(of: line, after: "-----BEGIN ") {
                guard open == nil else { return nil }
                open = (label, "")
            } else if let label = label(of: line, after: "-----END ") {
                guard let block = open, block.label == label, let der = Data(base64Encoded: block.base64), !der.isEmpty
                else { return nil }
                blocks.append(PEMBlock(label: label, der: der))
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
        guard line.hasPrefix(opening), line.hasSuffix(closing), line.count > opening.count + closing.count else {
            return nil
        }
        return String(line.dropFirst(opening.count).dropLast(closing.count))
    }
}
