import BelfryStore
import BelfryTestSupport
import Testing

@testable import BelfryPostgres

@Suite("Rows as bytes")
struct RowBytesTests {
    private static let texts = ["", "a", "é", "e\u{301}", "😀", "\\N", "\t\n\r", "\u{FEFF}", "'\"", "\u{FFFF}"]

    private static func value(_ kind: TableShape.Kind, _ dice: inout SeededGenerator) -> SQLValue {
        if Int.random(in: 0..<5, using: &dice) == 0 { return .null }
        return switch kind {
        case .integer: .integer([0, 1, -1, .min, .max, 1_795_262_400_000].randomElement(using: &dice) ?? 0)
        case .real: .real([0, -0.0, 0.1, -1e300, .infinity, .leastNonzeroMagnitude].randomElement(using: &dice) ?? 0)
        case .text: .text((texts.randomElement(using: &dice) ?? "") + (texts.randomElement(using: &dice) ?? ""))
        case .bytes: .blob((0..<Int.random(in: 0..<9, using: &dice)).map { _ in .random(in: 0...255, using: &dice) })
        }
    }

    private static func row(_ dice: inout SeededGenerator) -> (values: [SQLValue], kinds: [TableShape.Kind]) {
        let kinds = (0..<Int.random(in: 0..<12, using: &dice)).map { _ in
            [TableShape.Kind.integer, .real, .text, .bytes].randomElement(using: &dice) ?? .text
        }
        return (kinds.map { value($0, &dice) }, kinds)
    }

    @Test("STO-4: any row is read back from its bytes, and torn bytes are no row")
    func roundTrip() throws {
        var dice = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let (values, kinds) = Self.row(&dice)
            let bytes = try RowBytes.encode(values, as: kinds, null: .rejected)
            #expect(RowBytes.decode(bytes[...], as: kinds) == values)
            #expect(RowBytes.end(of: (bytes + [1])[...], from: 0) == bytes.count)
            let torn = bytes.prefix(Int.random(in: 0..<bytes.count, using: &dice))
            #expect(RowBytes.decode(torn, as: kinds) == nil && RowBytes.end(of: torn, from: 0) == nil)
            #expect(RowBytes.decode((bytes + [0])[...], as: kinds) == nil)
            #expect(RowBytes.decode(bytes[...], as: kinds + [.text]) == nil)
        }
    }

    @Test("STO-4: what PostgreSQL cannot hold is refused with its column, or replaced where that is asked for")
    func rejections() throws {
        let values: [SQLValue] = [.integer(1), .text("a\0b\0")]
        let kinds: [TableShape.Kind] = [.integer, .text]
        #expect(throws: RowError(column: 1, problem: .nullCharacter)) {
            try RowBytes.encode(values, as: kinds, null: .rejected)
        }
        let replaced = try RowBytes.encode(values, as: kinds, null: .replaced)
        #expect(RowBytes.decode(replaced[...], as: kinds) == [.integer(1), .text("a\u{FFFD}b\u{FFFD}")])
        let kept = try RowBytes.encode(values, as: kinds, null: .kept)
        #expect(RowBytes.decode(kept[...], as: kinds) == values)
        let misfits: [(SQLValue, TableShape.Kind)] = [
            (.text("1"), .integer), (.real(1), .integer), (.integer(1), .real), (.blob([]), .text),
            (.text(""), .bytes),
        ]
        for (value, kind) in misfits {
            #expect(throws: RowError(column: 0, problem: .otherKind(wanted: kind))) {
                try RowBytes.encode([value], as: [kind], null: .rejected)
            }
        }
    }

    @Test("STO-4, FLEET-4: rows are found in what a server sends, however it is divided")
    func pieces() throws {
        var dice = SeededGenerator(seed: 2)
        for _ in 0..<200 {
            let rows = try (0..<Int.random(in: 0..<6, using: &dice)).map { _ in
                let (values, kinds) = Self.row(&dice)
                return try RowBytes.encode(values, as: kinds, null: .rejected)
            }
            let sent = CopyWriter.header + rows.flatMap { $0 } + [0xff, 0xff]
            var reader = CopyReader()
            var found: [[UInt8]] = []
            var rest = sent[...]
            while !rest.isEmpty {
                #expect(!reader.isOver)
                let piece = Array(rest.prefix(Int.random(in: 1...40, using: &dice)))
                rest = rest.dropFirst(piece.count)
                try piece.withUnsafeBytes { try reader.take($0) { found.append(Array($0)) } }
            }
            #expect(found == rows && reader.isOver)
        }
        var reader = CopyReader()
        #expect(throws: PostgresError.self) {
            try Array("PGCOPY\r\n no header".utf8 + [0, 0, 0]).withUnsafeBytes { try reader.take($0) { _ in } }
        }
    }

    @Test("SEC-7, STO-4: only lower-case letters, digits and underscores are a name of the schema")
    func names() throws {
        for text in ["events", "audience_12", "a1_text", "_x", String(repeating: "a", count: 63)] {
            #expect(SchemaName(text)?.text == text)
        }
        let others = [
            "", "1a", "Events", "a b", "a\"", "a\u{301}", "é", "a;", "a-b", "a.b", "a\0",
            String(repeating: "a", count: 64),
        ]
        for text in others { #expect(SchemaName(text) == nil, "\(text)") }
        let count = try #require(SchemaName("count"))
        let sql: SQLText = "SELECT \(count)"
        #expect(sql.statement == "SELECT \"count\"")
    }
}
