import BelfryModel

/// What triggers an in-app message, as an app's developer would say it (IAM-5).
enum TriggerWords {
    /// Conditions in conditions that are told; what lies deeper is only mentioned.
    private static let maximumDepth = 4
    /// Conditions beside each other, and values of a list, that are told; of further ones there is the number.
    private static let maximumEntries = 6
    /// Code points of a name or a value.
    private static let longestValue = 60
    /// Code points of the whole.
    private static let longestText = 2_000

    /// Completes "Shown": "on the 2nd event basket:add if its price is at least 50".
    static func text(_ trigger: InAppTrigger) -> String {
        let number = trigger.neededOccurrence
        let which = number == 1 ? "event" : "\(ordinal(number)) event"
        let filter = trigger.filter.map { " if \(clause($0, depth: 1))" } ?? ""
        return cut("on the \(which) \(short(trigger.eventName))\(filter)", to: longestText)
    }

    private static func clause(_ condition: Condition, depth: Int) -> String {
        guard depth <= maximumDepth else { return "a further condition holds" }
        switch condition {
        case .everyone: return "it happens"
        case .all(let parts): return joined(parts, "and", depth: depth)
        case .any(let parts): return joined(parts, "or", depth: depth)
        case .not(let part): return "it is not so that (\(clause(part, depth: depth + 1)))"
        case .attribute(let name, let comparison): return "its \(short(name)) \(text(comparison))"
        case .device(let property, let comparison): return "the phone's \(property.phrase) \(text(comparison))"
        case .deviceFact(.pushOptIn, .equal(.boolean(let isOn))):
            return isOn ? "the phone may get pushes" : "the phone may get no pushes"
        case .deviceFact(.pushOptIn, let comparison): return "the consent to pushes \(text(comparison))"
        case .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .party, .event:
            return "a condition holds that no device can evaluate (it counts as false)"
        }
    }

    private static func joined(_ parts: [Condition], _ word: String, depth: Int) -> String {
        var said = parts.prefix(maximumEntries).map { part -> String in
            let text = clause(part, depth: depth + 1)
            switch part {
            case .all, .any: return parts.count > 1 ? "(\(text))" : text
            default: return text
            }
        }
        let rest = parts.count - said.count
        if rest > 0 { said.append(rest == 1 ? "a further condition holds" : "\(rest) further conditions hold") }
        return said.joined(separator: " \(word) ")
    }

    private static func text(_ comparison: Comparison) -> String {
        comparison.phrase(value: { text($0) }, list: { list($0) })
    }

    private static func list(_ values: [AttributeValue]) -> String {
        guard !values.isEmpty else { return "none" }
        let said = values.prefix(maximumEntries).map { text($0) }.joined(separator: ", ")
        let rest = values.count - maximumEntries
        return rest > 0 ? "\(said) and \(rest) more" : said
    }

    private static func text(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): "“\(short(text))”"
        case .number, .boolean, .date: value.textRead
        }
    }

    private static func ordinal(_ number: Int) -> String {
        switch (number % 100, number % 10) {
        case (11...13, _): "\(number)th"
        case (_, 1): "\(number)st"
        case (_, 2): "\(number)nd"
        case (_, 3): "\(number)rd"
        default: "\(number)th"
        }
    }

    private static func short(_ text: String) -> String {
        cut(text, to: longestValue)
    }

    private static func cut(_ text: String, to length: Int) -> String {
        guard text.unicodeScalars.count > length else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(length))) + "…"
    }
}
