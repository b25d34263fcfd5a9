/// A row in a format that does not depend on the engine: one tuple of PostgreSQL's binary `COPY`. The bytes are sent
/// unchanged, and checksums of two databases are computed from them (STO-4, FLEET-4).
///
/// The format is the number of columns in two bytes, then each value after its length in four bytes; a null has length
/// -1. All numbers are big-endian.
package enum RowBytes {
    /// How a null character in a text is handled.
    package enum NullCharacter: Sendable {
        /// The row is not encoded: PostgreSQL would refuse it.
        case rejected
        /// The character becomes U+FFFD.
        case replaced
        /// The character stays: the bytes are not meant for a text column of PostgreSQL.
        case kept
    }

    package static func encode(
        _ values: [SQLValue], as kinds: [TableShape.Kind], null: NullCharacter
    ) throws(RowError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        append(Int16(truncatingIfNeeded: values.count), to: &bytes)
        for (column, (value, kind)) in zip(values, kinds).enumerated() {
            switch (value, kind) {
            case (.null, _):
                append(Int32(-1), to: &bytes)
            case (.integer(let number), .integer):
                append(Int32(8), to: &bytes)
                append(number, to: &bytes)
            case (.real(let number), .real):
                append(Int32(8), to: &bytes)
                append(number.bitPattern, to: &bytes)
            case (.text(let text), .text):
                guard append(text, to: &bytes, null) else {
                    throw RowError(column: column, problem: .nullCharacter)
                }
            case (.blob(let blob), .bytes):
                append(Int32(truncatingIfNeeded: blob.count), to: &bytes)
                bytes.append(contentsOf: blob)
            default:
                throw RowError(column: column, problem: .otherKind(wanted: kind))
            }
        }
        return bytes
    }

    /// Decodes the values of one row; nil if the bytes are not one row of these columns.
    package static func decode(_ bytes: ArraySlice<UInt8>, as kinds: [TableShape.Kind]) -> [SQLValue]? {
        guard end(of: bytes, from: bytes.startIndex) == bytes.endIndex,
            read(Int16.self, bytes, at: bytes.startIndex) == Int16(truncatingIfNeeded: kinds.count)
        else { return nil }
        var position = bytes.startIndex + 2
        var values: [SQLValue] = []
        for kind in kinds {
            guard let length = read(Int32.self, bytes, at: position) else { return nil }
            let end = position + 4 + Int(max(length, 0))
            let field = bytes[(position + 4)..<end]
            position = end
            guard length >= 0 else {
                values.append(.null)
                continue
            }
            guard let value = value(of: field, as: kind) else { return nil }
            values.append(value)
        }
        return values
    }

    /// The end of the row that begins at a position; nil if the bytes are incomplete.
    package static func end(of bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        guard let count = read(Int16.self, bytes, at: start) else { return nil }
        var position = start + 2
        for _ in 0..<max(count, 0) {
            guard let length = read(Int32.self, bytes, at: position) else { return nil }
            position += 4 + Int(max(length, 0))
        }
        return position <= bytes.endIndex ? position : nil
    }

    private static func value(of field: ArraySlice<UInt8>, as kind: TableShape.Kind) -> SQLValue? {
        switch kind {
        case .integer where field.count == 8:
            read(Int64.self, field, at: field.startIndex).map(SQLValue.integer)
        case .real where field.count == 8:
            read(UInt64.self, field, at: field.startIndex).map { .real(Double(bitPattern: $0)) }
        case .text: String(validating: field, as: UTF8.self).map(SQLValue.text)
        case .bytes: .blob(Array(field))
        case .integer, .real: nil
        }
    }

    /// The number at a position; nil if the bytes are incomplete.
    package static func read<Number: FixedWidthInteger>(
        _ type: Number.Type, _ bytes: ArraySlice<UInt8>, at position: Int
    ) -> Number? {
        let end = position + Number.bitWidth / 8
        guard position >= bytes.startIndex, end <= bytes.endIndex else { return nil }
        return bytes[position..<end].withUnsafeBytes { Number(bigEndian: $0.loadUnaligned(as: Number.self)) }
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// - Returns: false for a text that must not be encoded.
    private static func append(_ text: String, to bytes: inout [UInt8], _ null: NullCharacter) -> Bool {
        guard null != .kept, text.utf8.contains(0) else {
            append(Int32(truncatingIfNeeded: text.utf8.count), to: &bytes)
            bytes.append(contentsOf: text.utf8)
            return true
        }
        guard null == .replaced else { return false }
        let replaced = text.utf8.flatMap { $0 == 0 ? Array("\u{FFFD}".utf8) : [$0] }
        append(Int32(truncatingIfNeeded: replaced.count), to: &bytes)
        bytes.append(contentsOf: replaced)
        return true
    }
}

/// Why a row cannot be moved.
package struct RowError: Error, Hashable {
    package enum Problem: Hashable, Sendable {
        /// A text has a null character, which PostgreSQL's texts cannot contain.
        case nullCharacter
        /// The value has another type than its column; SQLite accepts any value in any column.
        case otherKind(wanted: TableShape.Kind)
    }

    /// The index of the column in the table.
    package let column: Int
    package let problem: Problem

    package init(column: Int, problem: Problem) {
        self.column = column
        self.problem = problem
    }
}
