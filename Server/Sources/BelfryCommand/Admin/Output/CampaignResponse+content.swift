import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation

extension CampaignResponse {
    /// The campaign's content, audience and schedule, then its status and figures (CLI-7).
    func wholeText() throws -> String {
        let table = try CampaignContent.table(
            kind, audience: audience, push: push, messageCenter: messageCenter, inApp: inApp, schedule: schedule
        )
        return "\(text)\n\n\(table.text)"
    }
}

extension CampaignRequest {
    func contentTable() throws -> TextTable {
        try CampaignContent.table(
            kind, audience: audience, push: push, messageCenter: messageCenter, inApp: inApp, schedule: schedule
        )
    }
}

/// The content of a campaign, part by part.
enum CampaignContent {
    static func table(
        _ kind: CampaignKind, audience: Condition, push: (any Encodable)?, messageCenter: (any Encodable)?,
        inApp: (any Encodable)?, schedule: (any Encodable)?
    ) throws -> TextTable {
        var table = TextTable("PROPERTY", "VALUE")
        table.add("kind", kind.rawValue)
        table.add("audience", try JSONLine.text(audience))
        try add(push: push, messageCenter: messageCenter, inApp: inApp, schedule: schedule, to: &table)
        if schedule == nil { table.add("schedule", "at once") }
        return table
    }

    static func table(
        push: (any Encodable)?, messageCenter: (any Encodable)?, inApp: (any Encodable)?
    ) throws -> TextTable {
        var table = TextTable("PROPERTY", "VALUE")
        try add(push: push, messageCenter: messageCenter, inApp: inApp, schedule: nil, to: &table)
        return table
    }

    private static func add(
        push: (any Encodable)?, messageCenter: (any Encodable)?, inApp: (any Encodable)?, schedule: (any Encodable)?,
        to table: inout TextTable
    ) throws {
        let parts: [(name: String, value: (any Encodable)?)] = [
            ("push", push), ("messageCenter", messageCenter), ("inApp", inApp), ("schedule", schedule),
        ]
        for part in parts {
            guard let value = part.value else { continue }
            for row in try JSONLine.rows(value, name: part.name) { table.add(row.name, row.value) }
        }
    }
}

/// A JSON value for people: one line per part, with the part's path in a file.
private enum JSONLine {
    /// The maximum length of a value: pages of HTML are too long for a table.
    static let maximumLength = 200

    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try encoded(value), as: UTF8.self)
    }

    static func rows(_ value: some Encodable, name: String) throws -> [(name: String, value: String)] {
        try CheckedJSON.decode(
            AnyJSON.self, from: try encoded(value), maximumBytes: AdminClient.maximumResponseBytes,
            maximumDepth: JSONGrammar.deepest
        ).rows(name)
    }

    private static func encoded(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }
}

extension AnyJSON {
    /// A line for each part, with its path.
    fileprivate func rows(_ path: String) -> [(name: String, value: String)] {
        switch self {
        case .null: return [(path, "null")]
        case .boolean(let flag): return [(path, flag.yesOrNo)]
        case .number(let number): return [(path, AttributeValue.number(number).text)]
        case .string(let text):
            let isLong = text.unicodeScalars.count > JSONLine.maximumLength
            return [(path, isLong ? "\(text.utf8.count) bytes" : text)]
        case .list(let parts):
            return parts.enumerated().flatMap { $0.element.rows("\(path)[\($0.offset)]") }
        case .object(let members):
            return members.sorted { $0.key < $1.key }.flatMap { $0.value.rows("\(path).\($0.key)") }
        }
    }
}
