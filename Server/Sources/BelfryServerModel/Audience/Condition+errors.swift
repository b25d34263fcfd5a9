import BelfryModel

extension Condition {
    /// All errors of an audience, each with its path: limits, undefined attributes, values of the wrong type, and
    /// conditions that an event's `where` cannot have.
    package func errors(in context: ConditionContext) -> [ConditionError] {
        var measure = ConditionMeasure()
        measure.count(self, at: "", depth: 1)
        // A predicate that is too complex is not checked any further.
        guard !measure.errors.contains(where: { $0.error.code == "tooComplex" }) else { return measure.errors }
        var check = ConditionCheck(context: context)
        check.check(self, at: "")
        return measure.errors + check.errors
    }
}

private struct ConditionCheck {
    let context: ConditionContext
    var errors: [ConditionError] = []
    /// The names of the defined attributes, made once for all errors about undefined ones.
    private lazy var defined = NameList.text(context.schema.keys.sorted())

    init(context: ConditionContext) {
        self.context = context
    }

    mutating func check(_ condition: Condition, at path: String) {
        switch condition {
        case .all(let parts): check(parts, at: ConditionError.path(path, "all"))
        case .any(let parts): check(parts, at: ConditionError.path(path, "any"))
        case .not(let part): check(part, at: ConditionError.path(path, "not"))
        case .attribute(let name, let comparison):
            guard let type = context.schema[name] else {
                return reject(path, "attribute", undefined(name))
            }
            if type == .date { checkDate(comparison, of: name, at: path) }
        case .deviceFact(.pushOptIn, let comparison): checkFlag(comparison, at: path)
        case .deviceFact(.lastOpenedAt, let comparison):
            if comparison.isOfText {
                reject(path, "op", "invalidOperator", "'lastOpenedAt' is a date: == != < <= > >= in exists.")
            }
            checkDate(comparison, of: DeviceFact.lastOpenedAt.rawValue, at: path)
        case .event(let clause): check(clause, at: path)
        case .everyone, .device, .tag, .contactKeys, .deviceIDs, .known, .party: break
        }
    }

    private mutating func check(_ parts: [Condition], at path: String) {
        for (index, part) in parts.enumerated() { check(part, at: "\(path)[\(index)]") }
    }

    private mutating func checkDate(_ comparison: Comparison, of name: String, at path: String) {
        for (index, value) in comparison.values.enumerated() where DateSpan(value, in: context) == nil {
            let message = """
                '\(name)' is a date; compare it with an ISO 8601 date such as 2026-11-21T12:00:00Z, 2026-11-21, or \
                -P30D for 30 days ago.
                """
            var part = "value"
            if case .isIn = comparison { part = "value[\(index)]" }
            reject(path, part, "invalidValue", message)
        }
    }

    private mutating func checkFlag(_ comparison: Comparison, at path: String) {
        guard let found = comparison.flagError(of: .pushOptIn) else { return }
        reject(path, found.part, found.error)
    }

    private mutating func check(_ clause: EventClause, at path: String) {
        do {
            _ = try EventName(clause.name)
        } catch {
            reject(path, "event", error)
        }
        if !(0...ConditionLimits.maximumEventCount).contains(clause.count.value) {
            let message = "A count is 0 to \(ConditionLimits.maximumEventCount)."
            reject(ConditionError.path(path, "count"), "value", "outOfRange", message)
        }
        if let filter = clause.filter { checkFilter(filter, at: ConditionError.path(path, "where")) }
    }

    /// An event's `where` can only refer to the event's attributes.
    private mutating func checkFilter(_ condition: Condition, at path: String) {
        switch condition {
        case .all(let parts): checkFilters(parts, at: ConditionError.path(path, "all"))
        case .any(let parts): checkFilters(parts, at: ConditionError.path(path, "any"))
        case .not(let part): checkFilter(part, at: ConditionError.path(path, "not"))
        case .everyone, .attribute: break
        case .device, .deviceFact: rejectInFilter(path, "device")
        case .tag: rejectInFilter(path, "tag")
        case .contactKeys: rejectInFilter(path, "contactKeys")
        case .deviceIDs: rejectInFilter(path, "deviceIds")
        case .known: rejectInFilter(path, "known")
        case .event: rejectInFilter(path, "event")
        case .party: rejectInFilter(path, "party")
        }
    }

    private mutating func checkFilters(_ parts: [Condition], at path: String) {
        for (index, part) in parts.enumerated() { checkFilter(part, at: "\(path)[\(index)]") }
    }

    private mutating func rejectInFilter(_ path: String, _ part: String) {
        reject(path, part, "notOfEvent", "'where' is about the event's attributes: all, any, not, attribute.")
    }

    private mutating func reject(_ path: String, _ part: String, _ code: String, _ message: String) {
        reject(path, part, ValueError(code: code, message: message))
    }

    private mutating func reject(_ path: String, _ part: String, _ error: ValueError) {
        errors.append(ConditionError(path: ConditionError.path(path, part), error: error))
    }

    private mutating func undefined(_ name: String) -> ValueError {
        ValueError(
            code: "undefinedAttribute",
            message: "The app has no attribute '\(name.prefix(128))'. Defined: \(defined)."
        )
    }
}

extension Comparison {
    /// The values that must have the subject's type. Texts that are searched for in the subject are not among them.
    var values: [AttributeValue] {
        switch self {
        case .equal(let value), .notEqual(let value), .less(let value), .lessOrEqual(let value), .greater(let value),
            .greaterOrEqual(let value):
            [value]
        case .isIn(let values): values
        case .contains, .startsWith, .exists: []
        }
    }

    /// The error of a comparison with a fact that is true or false, and the part that is wrong.
    func flagError(of fact: DeviceFact) -> (part: String, error: ValueError)? {
        let name = fact.rawValue
        switch self {
        case .equal(.boolean), .notEqual(.boolean): return nil
        case .equal, .notEqual:
            return ("value", ValueError(code: "invalidValue", message: "'\(name)' is true or false."))
        default:
            return ("op", ValueError(code: "invalidOperator", message: "'\(name)' is compared with == or !=."))
        }
    }

    /// Whether the comparison searches in a text.
    var isOfText: Bool {
        switch self {
        case .contains, .startsWith: true
        default: false
        }
    }
}
