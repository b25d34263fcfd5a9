import BelfryModel
import BelfryWire

/// What the attributes and tags of a record take on the wire. Everything else in a snapshot is small.
enum RecordSize {
    /// Bytes as JSON: a registration is one request, and this leaves room for the rest of it. A larger record would
    /// never register.
    static let maximumBytes = WireLimits.maximumBodyBytes - 65_536

    static func bytes(of record: ContactRecord) -> Int {
        let attributes = record.attributes.reduce(0) { $0 + bytes($1.key, $1.value) }
        return record.tags.reduce(attributes) { $0 + bytes($1) }
    }

    /// With the colon and the comma.
    static func bytes(_ key: AttributeKey, _ value: AttributeValue) -> Int {
        text(key.rawValue) + content(value) + 2
    }

    /// With the comma.
    static func bytes(_ tag: Tag) -> Int {
        text(tag.rawValue) + 1
    }

    private static func content(_ value: AttributeValue) -> Int {
        switch value.asWritten {
        case .string(let string): text(string)
        // At most: no other value is written longer.
        case .number, .boolean, .date: 32
        }
    }

    /// With the quotation marks, and escaped as the encoder does it.
    private static func text(_ text: String) -> Int {
        text.utf8.reduce(2) { bytes, byte in
            switch byte {
            case 0..<0x20: bytes + 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes + 2
            default: bytes + 1
            }
        }
    }
}
