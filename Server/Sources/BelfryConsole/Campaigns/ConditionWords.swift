import BelfryModel
import BelfryServerModel

/// An audience in sentences (CON-11).
struct ConditionWords: Sendable {
    /// The depth to which nested conditions are put into words; deeper ones are only in the JSON.
    private static let maximumDepth = 4
    /// The number of list entries that are named; of the others only their number is given.
    private static let maximumEntries = 3
    private static let maximumValueLength = 60

    /// A sentence, such as `Everyone.` or `People whose city is 'Paris' and who have the tag 'sports'.`
    static func sentence(_ condition: Condition) -> String {
        if condition == .everyone { return "Everyone." }
        return "Devices \(clause(condition, depth: 1))."
    }

    /// The condition on an event's attributes: `whose price is less than 10`.
    static func ofEvent(_ condition: Condition) -> String {
        let (parts, word): ([Condition], String) =
            switch condition {
            case .all(let parts): (parts, "and")
            case .any(let parts): (parts, "or")
            default: ([condition], "and")
            }
        let said = parts.prefix(maximumEntries * 2).map { part in
            switch part {
            case .attribute(let name, let comparison): "whose \(short(name)) \(text(comparison))"
            case .device(let property, let comparison): "on devices whose \(property.phrase) \(text(comparison))"
            default: "for which a further condition holds"
            }
        }
        return said.joined(separator: " \(word) ")
    }

    private static func clause(_ condition: Condition, depth: Int) -> String {
        guard depth <= maximumDepth else { return "that a further condition holds for" }
        switch condition {
        case .everyone: return "of everyone"
        case .all(let parts): return joined(parts, "and", depth: depth)
        case .any(let parts): return joined(parts, "or", depth: depth)
        case .not(let part): return "that are not among those \(clause(part, depth: depth + 1))"
        case .attribute(let name, let comparison): return "whose contact's \(short(name)) \(text(comparison))"
        case .device(let property, let comparison): return "whose \(property.phrase) \(text(comparison))"
        case .deviceFact(.pushOptIn, .equal(.boolean(true))): return "that may get pushes"
        case .deviceFact(.pushOptIn, let comparison): return "whose permission for pushes \(text(comparison))"
        case .deviceFact(.lastOpenedAt, let comparison):
            return "whose app was last opened at a time that \(text(comparison))"
        case .tag(let tag): return "whose contact has the tag '\(short(tag))'"
        case .contactKeys(let keys): return "of the contacts \(list(keys))"
        case .deviceIDs(let ids): return "named \(list(ids))"
        case .known(let isKnown): return isKnown ? "of known contacts" : "of anonymous contacts"
        case .party(let part, let comparison): return "whose contact's party \(part.rawValue) \(text(comparison))"
        case .event(let clause): return event(clause)
        }
    }

    private static func joined(_ parts: [Condition], _ word: String, depth: Int) -> String {
        let clauses = parts.prefix(maximumEntries * 2).map { part -> String in
            let text = clause(part, depth: depth + 1)
            switch part {
            case .all, .any: return parts.count > 1 ? "(\(text))" : text
            default: return text
            }
        }
        let rest = parts.count - clauses.count
        let said = clauses.joined(separator: " \(word) ")
        return rest > 0 ? "\(said) \(word) \(Figures.count(rest, "further condition", "further conditions"))" : said
    }

    private static func event(_ clause: EventClause) -> String {
        let count =
            clause.count == .atLeastOnce
            ? "" : " \(words(clause.count.op)) \(Figures.count(clause.count.value, "time", "times"))"
        let within = clause.within.map { " within \($0.text)" } ?? ""
        let filter = clause.filter == nil ? "" : ", with conditions on the event"
        return "with the event '\(short(clause.name))'\(count)\(within)\(filter)"
    }

    private static func words(_ op: EventCount.Operator) -> String {
        switch op {
        case .equal: "exactly"
        case .notEqual: "any number of times but"
        case .less: "fewer than"
        case .lessOrEqual: "at most"
        case .greater: "more than"
        case .greaterOrEqual: "at least"
        }
    }

    private static func text(_ comparison: Comparison) -> String {
        comparison.phrase(value: { text($0) }, list: { list($0.map(\.textRead)) })
    }

    private static func text(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): "'\(short(text))'"
        case .number, .boolean, .date: value.textRead
        }
    }

    private static func list(_ entries: [String]) -> String {
        guard !entries.isEmpty else { return "none" }
        let said = entries.prefix(maximumEntries).map { "'\(short($0))'" }.joined(separator: ", ")
        let rest = entries.count - maximumEntries
        return rest > 0 ? "\(said) and \(Figures.count(rest)) more" : said
    }

    private static func short(_ text: String) -> String {
        ShownText.text(text, atMost: maximumValueLength).isolated
    }
}

extension CampaignSchedule {
    /// Sentences on when and how the campaign is sent. Times are in the app's zone.
    static func sentences(_ schedule: CampaignSchedule?, zone: AppZone) -> [String] {
        guard let schedule else { return ["It is sent as soon as it is launched."] }
        var sentences: [String] = []
        if let at = schedule.at {
            sentences.append("It is sent at \(zone.text(at)).")
        } else if let local = schedule.localAt {
            sentences.append("Each person gets it at \(AppZone.text(local)) by their own clock.")
        } else {
            sentences.append("It is sent as soon as it is launched.")
        }
        if let quiet = schedule.quietHours {
            let then = quiet.then == .delay ? "it waits until they end" : "it is not sent"
            sentences.append("Between \(quiet.from) and \(quiet.to) by the person's clock \(then).")
        }
        if let cap = schedule.frequencyCap {
            sentences.append(
                "A device gets at most \(Figures.count(cap.count, "push", "pushes")) within \(cap.within.text), this one included."
            )
        }
        if let end = schedule.expiresAt { sentences.append("Nothing is sent from \(zone.text(end)) on.") }
        if let rate = schedule.ratePerSecond {
            sentences.append("At most \(Figures.count(rate, "message leaves", "messages leave")) in a second.")
        }
        return sentences
    }
}
