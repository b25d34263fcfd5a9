import BelfryStore
import Crypto
import Foundation

/// The result of a move or of a verification: each table as it is on both sides.
struct MoveReport: Sendable, Encodable {
    struct Side: Hashable, Sendable, Encodable {
        let rows: Int
        let checksum: String

        init(_ sum: RowChecksum) {
            rows = sum.rows
            checksum = sum.text
        }
    }

    struct Table: Hashable, Sendable, Encodable {
        let name: String
        let source: Side
        let target: Side
        let isEqual: Bool

        init(_ name: SchemaName, source: RowChecksum, target: RowChecksum) {
            self.name = name.text
            self.source = Side(source)
            self.target = Side(target)
            isEqual = source == target
        }
    }

    let source: String
    let target: String
    let tables: [Table]
    /// Whether the rows of all tables are equal on both sides.
    let isEqual: Bool
    /// Whether servers may use the target database.
    let isFinished: Bool
    /// The operator's next steps, in order.
    let next: [String]

    init(source: String, target: String, tables: [Table], isFinished: Bool, next: [String]) {
        self.source = source
        self.target = target
        self.tables = tables
        isEqual = tables.allSatisfy(\.isEqual)
        self.isFinished = isFinished
        self.next = next
    }

    /// The report for people. Empty tables that agree are left out.
    var text: String {
        var table = TextTable("TABLE", "SOURCE", "TARGET", "CHECKSUM", "VERDICT")
        for entry in tables where !entry.isEqual || entry.source.rows > 0 {
            table.add(
                entry.name, "\(entry.source.rows)", "\(entry.target.rows)",
                entry.isEqual ? entry.source.checksum : "\(entry.source.checksum) / \(entry.target.checksum)",
                entry.isEqual ? "equal" : "DIFFERENT"
            )
        }
        let rows = tables.reduce(0) { $0 + $1.source.rows }
        let result =
            isEqual
            ? "All \(rows) rows of \(tables.count) tables are equal in \(source) and \(target)."
            : "\(tables.count { !$0.isEqual }) of \(tables.count) tables are not equal in \(source) and \(target)."
        let steps = next.enumerated().map { "\($0.offset + 1). \($0.element)" }
        return ([table.text, "", result] + (steps.isEmpty ? [] : ["", "Next:"] + steps)).joined(separator: "\n")
    }
}

/// A checksum of a table's rows that does not depend on their order: the sum, modulo 2^128, of the first half of each
/// row's SHA-256.
///
/// A missing, duplicated or altered row changes it. The rows of both engines are encoded to the same bytes by
/// ``RowBytes``.
struct RowChecksum: Hashable, Sendable {
    private(set) var rows = 0
    private var sum: UInt128 = 0

    mutating func add(_ row: some DataProtocol) {
        let hash = SHA256.hash(data: row)
        sum &+= hash.withUnsafeBytes { UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
        rows += 1
    }

    /// The checksum as 32 hexadecimal digits.
    var text: String {
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
