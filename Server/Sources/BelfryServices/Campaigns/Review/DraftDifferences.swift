import BelfryModel
import BelfryServerModel
import BelfryStore

/// A part of a campaign that differs between two versions (CON-5).
package struct DraftDifference: Hashable, Sendable {
    /// The part's path in JSON, such as `push.buttons[0].text`. An audience is one part.
    package let field: String
    /// The part in the older version; nil if it has no such part. Texts are shown as they are, other values as JSON.
    package let old: String?
    package let new: String?

    package init(field: String, old: String?, new: String?) {
        self.field = field
        self.old = old
        self.new = new
    }
}

/// The differences between two versions of a campaign, part by part.
package struct DraftDifferences: Hashable, Sendable {
    /// The most parts that are listed; further ones are only counted.
    package static let maximumParts = 200
    /// The most characters that are shown of a part.
    package static let maximumLength = 2_000
    /// How many characters before the first difference are shown if the beginning of a long text is left out.
    static let leadLength = 40

    package let parts: [DraftDifference]
    /// The number of differing parts that are not listed.
    package let others: Int

    /// - Parameter old: nil if there is no earlier version; then everything is new.
    package init(from old: CampaignDraft?, to new: CampaignDraft) throws {
        let before = try old.map(DraftParts.init)?.values ?? [:]
        let after = try DraftParts(new).values
        let fields = Set(before.keys).union(after.keys).filter {
            !Self.isSame(before[$0], after[$0])
        }
        let ordered = fields.sorted { DraftParts.order($0).lexicographicallyPrecedes(DraftParts.order($1)) }
        parts = ordered.prefix(Self.maximumParts).map { field in
            let (old, new) = Self.excerpts(before[field], after[field])
            return DraftDifference(field: field, old: old, new: new)
        }
        others = ordered.count - parts.count
    }

    /// Whether two texts are equal as bytes, so that an approver also sees changes that Swift ignores (SEC-7).
    private static func isSame(_ old: String?, _ new: String?) -> Bool {
        guard let old, let new else { return old == nil && new == nil }
        return old.utf8.elementsEqual(new.utf8)
    }

    /// Excerpts of long texts, from shortly before their first difference.
    private static func excerpts(_ old: String?, _ new: String?) -> (String?, String?) {
        let (first, second) = (old.map { Array($0.unicodeScalars) }, new.map { Array($0.unicodeScalars) })
        guard max(first?.count ?? 0, second?.count ?? 0) > maximumLength else { return (old, new) }
        let common = zip(first ?? [], second ?? []).prefix { $0 == $1 }.count
        let start = max(0, common - leadLength)
        return (first.map { excerpt($0, from: start) }, second.map { excerpt($0, from: start) })
    }

    private static func excerpt(_ text: [Unicode.Scalar], from start: Int) -> String {
        let shown = text.dropFirst(start).prefix(maximumLength)
        var excerpt = String.UnicodeScalarView()
        if start > 0 { excerpt.append("…") }
        excerpt.append(contentsOf: shown)
        if start + shown.count < text.count { excerpt.append("…") }
        return String(excerpt)
    }
}

/// The parts of a draft, by their paths in its JSON.
private struct DraftParts {
    private static let sections = ["name", "kind", "audience", "push", "messageCenter", "inApp", "schedule"]

    private(set) var values: [String: String] = [:]

    init(_ draft: CampaignDraft) throws {
        let whole = try JSONText.decode(AnyJSON.self, try JSONText.encode(draft))
        guard case .object(var members) = whole else { return }
        members["audience"] = nil
        values["audience"] = try JSONText.encode(draft.audience)
        for (key, part) in members { part.add(to: &values, at: key) }
    }

    /// The sort key of a path: sections in the order in which a campaign is read, then the path's bytes, with shorter
    /// numbers first.
    static func order(_ field: String) -> [Int] {
        let head = String(decoding: field.utf8.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
        let section = sections.firstIndex { $0.utf8.elementsEqual(head.utf8) } ?? sections.count
        var order = [section]
        var number: Int?
        for byte in field.utf8 {
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), order.count < 512 {
                number = min((number ?? 0), 1_000_000) * 10 + Int(byte - UInt8(ascii: "0"))
            } else {
                if let number { order.append(number) }
                number = nil
                order.append(Int(byte))
            }
        }
        return order
    }
}

extension AnyJSON {
    /// Adds the texts of all parts, by their paths.
    fileprivate func add(to values: inout [String: String], at path: String) {
        switch self {
        case .null: values[path] = "null"
        case .boolean(let flag): values[path] = flag ? "true" : "false"
        case .number(let number): values[path] = Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .string(let text): values[path] = text
        case .list(let parts) where parts.isEmpty: values[path] = "[]"
        case .object(let members) where members.isEmpty: values[path] = "{}"
        case .list(let parts):
            for (index, part) in parts.enumerated() { part.add(to: &values, at: "\(path)[\(index)]") }
        case .object(let members):
            for (key, part) in members { part.add(to: &values, at: "\(path).\(key)") }
        }
    }
}
