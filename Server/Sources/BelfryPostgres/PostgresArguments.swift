import BelfryStore

/// The arguments of one statement in the server's format, in one piece of memory.
struct PostgresArguments {
    private static let binary: Int32 = 1

    private var bytes: [UInt8] = []
    /// The offset at which each argument begins; nil for a null.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []

    var count: Int { starts.count }

    /// The arguments of a statement that takes none.
    init() {}

    /// - Throws: ``StoreError/rejected(reason:)`` for a text that PostgreSQL cannot hold.
    init(_ values: [SQLValue]) throws {
        starts.reserveCapacity(values.count)
        lengths.reserveCapacity(values.count)
        for value in values {
            let start = bytes.count
            try write(value)
            starts.append(value == .null ? nil : start)
            lengths.append(Int32(bytes.count - start))
        }
        // One extra byte, so that an empty value at the end has an address within the buffer.
        bytes.append(0)
    }

    /// Transposes rows: each column becomes one array.
    ///
    /// - Parameter kinds: the type of each column.
    init(columnsOf rows: ArraySlice<[SQLValue]>, _ kinds: [TableShape.Kind]) throws {
        for (column, kind) in kinds.enumerated() {
            let start = bytes.count
            let type = PostgresType.of(kind)
            var hasNulls = false
            // One dimension, with indexes from 1. Whether there are nulls is known only after the last value.
            for number in [1, 0, type, UInt32(rows.count), 1] { write(number) }
            for row in rows {
                if case .null = row[column] { hasNulls = true }
                try write(row[column], of: type)
            }
            if hasNulls { bytes[start + Self.lastByteOfNullsFlag] = 1 }
            starts.append(start)
            lengths.append(Int32(bytes.count - start))
        }
        bytes.append(0)
    }

    /// The flag for nulls is the second number of an array, in big-endian order.
    private static let lastByteOfNullsFlag = 7

    /// Writes a value of an array, preceded by its length.
    private mutating func write(_ value: SQLValue, of type: UInt32) throws {
        switch value {
        case .null: return write(UInt32.max)
        case .integer where type == PostgresType.int8, .real where type == PostgresType.float8: write(UInt32(8))
        case .text(let text) where type == PostgresType.text: write(UInt32(text.utf8.count))
        case .blob(let blob) where type == PostgresType.bytea: write(UInt32(blob.count))
        default: throw PostgresError(code: "42804", message: "a value has another type than its column")
        }
        try write(value)
    }

    private mutating func write(_ number: UInt32) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func write(_ value: SQLValue) throws {
        switch value {
        case .null: break
        case .integer(let number):
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        case .real(let number):
            withUnsafeBytes(of: number.bitPattern.bigEndian) { bytes.append(contentsOf: $0) }
        case .text(let text):
            guard !Self.holdsNull(text) else {
                throw StoreError.rejected(reason: "a text cannot contain the null character")
            }
            bytes.append(contentsOf: text.utf8)
        case .blob(let blob):
            bytes.append(contentsOf: blob)
        }
    }

    private static func holdsNull(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.contains(0) } ?? text.utf8.contains(0)
    }

    /// Gives the body pointers in libpq's form: count, values, lengths and formats.
    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        let formats = [Int32](repeating: Self.binary, count: starts.count)
        return bytes.withUnsafeBytes { memory in
            let pointers = starts.map { start in
                start.flatMap { memory.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
            }
            return pointers.withUnsafeBufferPointer { pointers in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(Int32(starts.count), pointers.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}
