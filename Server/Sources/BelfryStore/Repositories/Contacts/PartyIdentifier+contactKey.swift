import BelfryModel

extension PartyIdentifier {
    /// The party identifier from which a contact's key was made, `party:TYPE:NAME:NUMBER` (ID-9); nil for any other
    /// key.
    package init?(contactKey: String) {
        let prefix = ContactKey.partyPrefix.utf8
        guard contactKey.utf8.starts(with: prefix) else { return nil }
        // The number is the last part and may contain colons, since it is not escaped.
        let parts = contactKey.utf8.dropFirst(prefix.count)
            .split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 3, let type = String(validating: Self.unescaped(parts[0]), as: UTF8.self),
            let name = String(validating: Self.unescaped(parts[1]), as: UTF8.self),
            let number = String(validating: parts[2], as: UTF8.self)
        else { return nil }
        self.init(type: type, name: name, number: number)
    }

    /// Decodes `%25` and `%3A`; a key has no other `%`.
    private static func unescaped(_ part: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = part[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.starts(with: "3A".utf8) {
                result.append(UInt8(ascii: ":"))
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
                if byte == UInt8(ascii: "%"), rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
            }
        }
        return result
    }
}
