import BelfryStore
import CLibpq

/// The result of a statement. Its memory is freed with it.
final class PostgresResult {
    let pointer: OpaquePointer

    /// - Throws: the server's error.
    init(_ pointer: OpaquePointer?, of link: OpaquePointer) throws {
        guard let pointer else { throw PostgresError(result: nil, link: link) }
        self.pointer = pointer
        switch PQresultStatus(pointer) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_SYNC, PGRES_COPY_IN, PGRES_COPY_OUT:
            return
        default:
            // All properties are set, so `deinit` frees the memory.
            throw PostgresError(result: pointer, link: link)
        }
    }

    deinit {
        PQclear(pointer)
    }

    var rows: Int { Int(PQntuples(pointer)) }
    var columns: Int { Int(PQnfields(pointer)) }

    func elements<Element>(_ map: (any SQLRow) throws -> Element) throws -> [Element] {
        try (0..<rows).map { try map(PostgresRow(result: self, row: Int32($0))) }
    }

    /// Rows that were written; 0 for a statement that only reads.
    var changes: Int {
        // The tag of a query is for example `SELECT 20`.
        let initial = PQcmdStatus(pointer).map { UInt8(truncatingIfNeeded: $0.pointee) }
        guard initial != UInt8(ascii: "S") else { return 0 }
        return PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// The argument types of a described statement.
    var argumentTypes: [UInt32] { (0..<PQnparams(pointer)).map { PQparamtype(pointer, $0) } }

    /// The first word of the command tag, such as `COMMIT`.
    var status: String { PQcmdStatus(pointer).map { String(cString: $0) } ?? "" }
}

/// One row of a result, whose values arrive as texts.
struct PostgresRow: SQLRow {
    let result: PostgresResult
    let row: Int32

    func isNull(_ column: Int) -> Bool {
        PQgetisnull(result.pointer, row, Int32(column)) == 1
    }

    func integer(_ column: Int) -> Int64 {
        let bytes = bytes(column)
        if let number = Self.integer(bytes) { return number }
        // A boolean, or a number with a fraction, which is truncated.
        if bytes.first == UInt8(ascii: "t") { return 1 }
        return Int64(exactly: (Double(bytes.whole) ?? 0).rounded(.towardZero)) ?? 0
    }

    func text(_ column: Int) -> String {
        bytes(column).whole
    }

    /// The bytes as received, without making a `String`.
    func utf8(_ column: Int) -> [UInt8] {
        Array(bytes(column))
    }

    func byteCount(_ column: Int) -> Int {
        Int(PQgetlength(result.pointer, row, Int32(column)))
    }

    /// Parses `\x0a1b…`, two digits a byte.
    func blob(_ column: Int) -> [UInt8] {
        let digits = bytes(column).dropFirst(2)
        return stride(from: digits.startIndex, to: digits.endIndex - 1, by: 2).map {
            Self.digit(digits[$0]) << 4 | Self.digit(digits[$0 + 1])
        }
    }

    private func bytes(_ column: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(result.pointer, row, Int32(column)),
            count: byteCount(column)
        )
    }

    /// Parses decimal digits with a sign, without making a `String`.
    private static func integer(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = bytes.dropFirst(isNegative ? 1 : 0)
        // Longer numbers may not fit.
        guard !digits.isEmpty, digits.count <= 18 else { return Int64(bytes.whole) }
        var number: Int64 = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return isNegative ? -number : number
    }

    private static func digit(_ byte: UInt8) -> UInt8 {
        byte <= UInt8(ascii: "9") ? byte - UInt8(ascii: "0") : byte - UInt8(ascii: "a") + 10
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var whole: String { String(decoding: self, as: UTF8.self) }
}
