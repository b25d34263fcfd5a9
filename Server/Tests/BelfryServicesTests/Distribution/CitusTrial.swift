import BelfryStore

/// A recorded statement as it is tried on a cluster: prepared, and run with some values in a transaction that is rolled
/// back. What it finds does not matter, only whether Citus plans it.
struct CitusTrial {
    let script: String

    /// Nil for what neither reads nor writes rows of a table that is not local.
    init?(of statement: String, app: Int64) {
        guard Self.verbs.contains(where: statement.hasPrefix), Self.isDistributed(statement) else { return nil }
        var spelled: [UInt8] = []
        var values: [String] = []
        var isQuoted = false
        var rest = Array(statement.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "'") { isQuoted.toggle() }
            guard byte == UInt8(ascii: "?"), !isQuoted else {
                spelled.append(byte)
                continue
            }
            values.append(Self.value(before: rest, ofRanges: statement.contains("->> 0")))
            spelled += Array("$\(values.count)".utf8)
        }
        let text = Self.audience(in: String(decoding: spelled, as: UTF8.self), app: app)
        let arguments = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
        script = """
            BEGIN ISOLATION LEVEL SERIALIZABLE;
            PREPARE trial AS \(text);
            EXECUTE trial\(arguments);
            ROLLBACK
            """
    }

    /// Whether a refusal is one of Citus' own, and not of the values: what it does not support, and its inner errors.
    static func isOfCitus(_ error: String) -> Bool {
        ["PostgreSQL 0A000", "PostgreSQL XX000"].contains { error.contains($0) }
    }

    private static let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"]

    private static func isDistributed(_ statement: String) -> Bool {
        statement.contains("audience_")
            || Distribution.tables.contains { $0.value != .local && statement.contains($0.key) }
            || Distribution.added.keys.contains { statement.contains($0) }
    }

    /// Every number and text may be 1; lists are read by what they are cast to.
    private static func value(before rest: ArraySlice<UInt8>, ofRanges: Bool) -> String {
        let cast = String(decoding: rest.prefix { $0 != UInt8(ascii: ")") && $0 != UInt8(ascii: ",") }, as: UTF8.self)
        if cast.hasPrefix("::json") { return ofRanges ? "'[[1, 2]]'" : "'[1]'" }
        return cast.hasPrefix("::") && cast.contains("[]") ? "'{1}'" : "'1'"
    }

    /// Every app's audience table is that of the one app that there is.
    private static func audience(in text: String, app: Int64) -> String {
        text.replacing(/audience_[0-9]+/, with: "audience_\(app)")
    }
}
