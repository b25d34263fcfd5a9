import BelfryModel
import BelfryRules
import BelfryWire

/// The size of a record's attributes and tags in a request. Everything else in a snapshot is small.
enum RecordSize {
    /// The maximum size in bytes, as JSON: a registration is one request, and this leaves room for the rest of it. A
    /// larger record could never be registered.
    static let maximumBytes = WireLimits.maximumBodyBytes - 65_536

    /// - Parameter present: the record that is replaced. If it is already too large, it may only shrink.
    static func check(_ record: ContactRecord, insteadOf present: ContactRecord) throws(ValueError) {
        let most = SnapshotReading.maximumEntries
        guard record.attributes.count <= max(most, present.attributes.count),
            record.tags.count <= max(most, present.tags.count)
        else { throw tooMany }
        let bytes = Self.bytes(of: record)
        guard bytes <= maximumBytes || bytes <= Self.bytes(of: present) else { throw tooLarge }
    }

    static let tooLarge = ValueError(
        code: "recordTooLarge",
        message: "The attributes and tags together have at most \(maximumBytes) bytes as JSON."
    )

    static let tooMany = ValueError(
        code: "tooMany",
        message: "A contact record has at most \(SnapshotReading.maximumEntries) attributes and as many tags."
    )

    static func bytes(of record: ContactRecord) -> Int {
        let attributes = record.attributes.reduce(0) { $0 + bytes($1.key, $1.value) }
        return record.tags.reduce(attributes) { $0 + bytes($1) }
    }

    /// The size with the colon and the comma.
    static func bytes(_ key: AttributeKey, _ value: AttributeValue) -> Int {
        text(key.rawValue) + content(value) + 2
    }

    /// The size with the comma.
    static func bytes(_ tag: Tag) -> Int {
        text(tag.rawValue) + 1
    }

    private static func content(_ value: AttributeValue) -> Int {
        switch value.asWritten {
        case .string(let string): text(string)
        // The maximum: no other value is longer.
        case .number, .boolean, .date: 32
        }
    }

    /// The size with the quotation marks, and with the encoder's escapes.
    private static func text(_ text: String) -> Int {
        var text = text
        return text.withUTF8 { bytes in
            var size = bytes.count + 2
            for start in stride(from: 0, to: bytes.count, by: 8) {
                if let eight = EightBytes(bytes, at: start), !eight.isEscapedInJSON { continue }
                for byte in bytes[start..<min(start + 8, bytes.count)] {
                    switch byte {
                    case 0..<0x20: size += 5
                    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): size += 1
                    default: break
                    }
                }
            }
            return size
        }
    }
}
