import BelfryModel
import BelfryServerModel

/// One row of an audience: the subject, the comparison and the value; for an event also how often, since when, and
/// which of the events count.
struct AudienceRow: Hashable, Sendable {
    /// `tag`, `known`, `attribute:NAME`, `device:PROPERTY`, `fact:FACT`, `party:PART`, `contactKey`, `deviceID`,
    /// `event`, `noEvent`; empty: the row is not used.
    var subject = ""
    var op = "=="
    var value = ""
    /// The group of the row: empty, `A`, `B` or `C`.
    var group = ""
    /// How the number of events is compared with ``times``.
    var often = ">="
    /// The number of events; empty: 1.
    var times = ""
    /// The number of days in which events count; empty: as long as events are kept.
    var days = ""
    var whereName = ""
    var whereOp = "=="
    var whereValue = ""

    static let names = [
        "subject", "op", "value", "group", "often", "times", "days", "whereName", "whereOp", "whereValue",
    ]
    static let frequencies: [(String, String)] = [
        (">=", "at least"), ("==", "exactly"), ("<=", "at most"), ("<", "fewer than"), (">", "more than"),
        ("!=", "any number but"),
    ]

    var isUsed: Bool { !subject.isEmpty }
    var isOfEvent: Bool { subject == "event" || subject == "noEvent" }
    /// Whether a field is filled in that only events have: how often, since when, which of them.
    var saysWhichEvents: Bool { [times, days, whereName, whereValue].contains { !$0.showsNothing } }

    init(subject: String = "", op: String = "==", value: String = "") {
        self.subject = subject
        self.op = op
        self.value = value
    }

    init(_ row: FormRows.Row) {
        func said(_ name: String, _ standard: String) -> String { row[name].isEmpty ? standard : row[name] }
        subject = row["subject"]
        op = said("op", "==")
        value = row["value"]
        group = row["group"]
        often = said("often", ">=")
        times = row["times"]
        days = row["days"]
        whereName = row["whereName"]
        whereOp = said("whereOp", "==")
        whereValue = row["whereValue"]
    }

    var values: [String: String] {
        [
            "subject": subject, "op": op, "value": value, "group": group, "often": often, "times": times, "days": days,
            "whereName": whereName, "whereOp": whereOp, "whereValue": whereValue,
        ]
    }
}

extension AudienceRow {
    /// Returns nil for a condition that a row cannot show.
    init?(_ condition: Condition) {
        switch condition {
        case .tag(let tag): self.init(subject: "tag", value: tag)
        case .not(.tag(let tag)): self.init(subject: "tag", op: "!=", value: tag)
        case .attribute(let name, let comparison): self.init("attribute:\(name)", comparison)
        case .device(let property, let comparison): self.init("device:\(property.rawValue)", comparison)
        case .deviceFact(let fact, let comparison): self.init("fact:\(fact.rawValue)", comparison)
        case .party(let part, let comparison): self.init("party:\(part.rawValue)", comparison)
        case .known(let isKnown): self.init(subject: "known", value: isKnown ? "true" : "false")
        case .contactKeys(let keys): self.init("contactKey", among: keys)
        case .deviceIDs(let ids): self.init("deviceID", among: ids)
        case .event(let clause): self.init("event", clause)
        case .not(.event(let clause)): self.init("noEvent", clause)
        case .everyone, .all, .any, .not: return nil
        }
    }

    private init?(_ subject: String, _ comparison: Comparison) {
        guard let shown = ComparisonWords.shown(comparison) else { return nil }
        self.init(subject: subject, op: shown.op, value: shown.value)
    }

    private init?(_ subject: String, among names: [String]) {
        guard let list = ComparisonWords.list(names) else { return nil }
        self.init(subject: subject, op: "in", value: list)
    }

    private init?(_ subject: String, _ clause: EventClause) {
        self.init(subject: subject, value: clause.name)
        if clause.count != .atLeastOnce {
            often = clause.count.op.rawValue
            times = String(clause.count.value)
        }
        if let within = clause.within {
            let minutes = Int(within.seconds) / 60
            guard minutes % 1_440 == 0 else { return nil }
            days = String(minutes / 1_440)
        }
        switch clause.filter {
        case nil: break
        case .attribute(let name, let comparison)?:
            guard let shown = ComparisonWords.shown(comparison), !name.isEmpty else { return nil }
            (whereName, whereOp, whereValue) = (name, shown.op, shown.value)
        default: return nil
        }
    }
}

extension AudienceRow {
    /// The condition that the row makes.
    func condition(schema: [String: AttributeType]) throws(FormProblems.Sentence) -> Condition {
        guard isUsed else { throw FormProblems.Sentence("Choose what this row asks for, or empty its fields.") }
        guard isOfEvent || !saysWhichEvents else {
            throw FormProblems.Sentence("Only events are counted: choose an event, or empty the fields below.")
        }
        if isOfEvent || subject == "known", op != "==" {
            throw FormProblems.Sentence("This is so or not, and cannot be compared: choose 'is'.")
        }
        switch subject {
        case "tag": return try tagged()
        case "known": return .known(try ComparisonWords.flag(value))
        case "contactKey": return .contactKeys(try named())
        case "deviceID": return .deviceIDs(try named())
        case "event": return .event(try clause())
        case "noEvent": return .not(.event(try clause()))
        default: break
        }
        let parts = subject.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1).map { String(Substring($0)) }
        guard parts.count == 2 else { throw FormProblems.Sentence("Choose what this row asks for.") }
        switch parts[0] {
        case "device":
            guard let property = DeviceProperty(rawValue: parts[1]) else { break }
            return .device(property, try comparison(.string))
        case "fact":
            guard let fact = DeviceFact(rawValue: parts[1]) else { break }
            return .deviceFact(fact, try comparison(fact == .pushOptIn ? .boolean : .date))
        case "party":
            guard let part = PartyPart(rawValue: parts[1]) else { break }
            return .party(part, try comparison(.string))
        default:
            guard let type = schema[parts[1]] else { break }
            return .attribute(parts[1], try comparison(type))
        }
        throw FormProblems.Sentence("The app no longer has this attribute. Choose another one.")
    }

    private func comparison(_ type: AttributeType) throws(FormProblems.Sentence) -> Comparison {
        try ComparisonWords.comparison(op, value) { text throws(FormProblems.Sentence) in
            try ComparisonWords.value(text, type)
        }
    }

    private func tagged() throws(FormProblems.Sentence) -> Condition {
        guard !value.showsNothing else { throw FormProblems.Sentence("Enter a tag.") }
        switch op {
        case "==": return .tag(value)
        case "!=": return .not(.tag(value))
        default: throw FormProblems.Sentence("A tag is there or not: choose 'is' or 'is not'.")
        }
    }

    private func named() throws(FormProblems.Sentence) -> [String] {
        guard op == "==" || op == "in" else {
            throw FormProblems.Sentence("Choose 'is', or 'is one of' for several.")
        }
        let names = op == "in" ? ComparisonWords.entries(value) : value.showsNothing ? [] : [value]
        guard !names.isEmpty else { throw FormProblems.Sentence("Enter at least one value.") }
        return names
    }

    private func clause() throws(FormProblems.Sentence) -> EventClause {
        guard !value.showsNothing else { throw FormProblems.Sentence("Write the event's name, such as purchase.") }
        return EventClause(name: value, count: try count(), within: try within(), filter: try filter())
    }

    private func count() throws(FormProblems.Sentence) -> EventCount {
        if times.showsNothing { return .atLeastOnce }
        guard let number: Int = WholeNumber.read(times), let op = EventCount.Operator(rawValue: often) else {
            throw FormProblems.Sentence("Write how many times as a whole number such as 2.")
        }
        return EventCount(op, number)
    }

    private func within() throws(FormProblems.Sentence) -> ISODuration? {
        if days.showsNothing { return nil }
        guard let number: Int = WholeNumber.read(days), number > 0, let span = try? ISODuration("P\(number)D") else {
            throw FormProblems.Sentence("Write the days as a whole number such as 30: 1 to 3650.")
        }
        return span
    }

    private func filter() throws(FormProblems.Sentence) -> Condition? {
        if whereName.showsNothing {
            guard whereValue.showsNothing else {
                throw FormProblems.Sentence("Write which attribute of the event is compared.")
            }
            return nil
        }
        return .attribute(
            whereName,
            try ComparisonWords.comparison(whereOp, whereValue) { text throws(FormProblems.Sentence) in
                ComparisonWords.untyped(text)
            }
        )
    }
}
