import BelfryStore

/// The arguments of one statement as the server reads them, in one piece of memory.
struct PostgresArguments {
    private static let binary: Int32 = 1

    private var bytes: [UInt8] = []
    /// Where each begins; nil for a null.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []

    /// - Throws: ``StoreError/refused(reason:)`` for a text that PostgreSQL cannot hold.
    init(_ values: [SQLValue]) throws {
        starts.reserveCapacity(values.count)
        lengths.reserveCapacity(values.count)
        for value in values { try append(value) }
        // So that the address of an empty value at the end is one within.
        bytes.append(0)
    }

    private mutating func append(_ value: SQLValue) throws {
        let start = bytes.count
        switch value {
        case .null:
            starts.append(nil)
            lengths.append(0)
            return
        case .integer(let number):
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        case .real(let number):
            withUnsafeBytes(of: number.bitPattern.bigEndian) { bytes.append(contentsOf: $0) }
        case .text(let text):
            bytes.append(contentsOf: text.utf8)
            guard !bytes[start...].contains(0) else {
                throw StoreError.refused(reason: "a text cannot contain the null character")
            }
        case .blob(let blob):
            bytes.append(contentsOf: blob)
        }
        starts.append(start)
        lengths.append(Int32(bytes.count - start))
    }

    /// Lends them as libpq takes them: count, values, lengths and formats.
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
