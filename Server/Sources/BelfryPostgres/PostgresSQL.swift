/// The store's SQL in PostgreSQL's spelling: `?` becomes `$1`, `$2` and so on, and the columns of a new table compare
/// their texts byte by byte, as SQLite's do, whatever the database's language is.
enum PostgresSQL {
    static func spelled(_ sql: String) -> String {
        let bytes = Array(sql.utf8)
        let isDefinition = sql.hasPrefix("CREATE TABLE") || sql.hasPrefix("ALTER TABLE")
        var spelled: [UInt8] = []
        spelled.reserveCapacity(bytes.count + 16)
        var (position, count) = (0, 0)
        while position < bytes.count {
            switch bytes[position] {
            case quote, doubleQuote:
                let end = endOfQuoted(bytes, from: position)
                spelled += bytes[position..<end]
                position = end
            case mark:
                count += 1
                spelled += Array("$\(count)".utf8)
                position += 1
            case let byte where isDefinition && isWord(byte):
                let end = bytes[position...].firstIndex { !isWord($0) } ?? bytes.endIndex
                spelled += columnType(bytes[position..<end])
                position = end
            case let byte:
                spelled.append(byte)
                position += 1
            }
        }
        return String(decoding: spelled, as: UTF8.self)
    }

    private static let quote = UInt8(ascii: "'")
    private static let doubleQuote = UInt8(ascii: "\"")
    private static let mark = UInt8(ascii: "?")

    /// The position after the closing quote; two quotes in a row are one quote within the text.
    private static func endOfQuoted(_ bytes: [UInt8], from start: Int) -> Int {
        bytes[(start + 1)...].firstIndex(of: bytes[start]).map { $0 + 1 } ?? bytes.endIndex
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func columnType(_ word: ArraySlice<UInt8>) -> [UInt8] {
        switch String(decoding: word, as: UTF8.self) {
        case "TEXT": Array("TEXT COLLATE \"C\"".utf8)
        // `REAL` has four bytes in PostgreSQL and eight in SQLite.
        case "REAL": Array("DOUBLE PRECISION".utf8)
        default: Array(word)
        }
    }
}
