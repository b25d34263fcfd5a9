import BelfryModel

/// The trigger of an in-app message in the words of an app's developer (IAM-5).
enum TriggerWords {
    /// The depth to which nested conditions are described; deeper ones are only mentioned.
    private static let maximumDepth = 4
    /// The number of conditions or list values that are described; further ones are only counted.
    private static let maximumEntries = 6
    /// The number of code points of a name or value.
    private static let longestValue = 60
    /// The number of code points of the whole text.
    private static let longestText = 2_000

    /// The text after "Shown": "on the 2nd event basket:add if its price is at least 50".
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
