import BelfryModel

extension InAppTrigger {
    /// All errors of the trigger, each with its path: `event`, `occurrence`, `where.all[0].tag`. Its `where` can only
    /// use what the device knows when an event happens.
    package var errors: [ConditionError] {
        var check = TriggerCheck()
        check.check(self)
        return check.errors
    }
}

private struct TriggerCheck {
    private static let filterPath = "where"

    var errors: [ConditionError] = []

    mutating func check(_ trigger: InAppTrigger) {
        do {
            _ = try EventName(trigger.event)
        } catch {
            reject("", "event", error)
        }
        if let occurrence = trigger.occurrence, !(1...InAppLimits.maximumOccurrence).contains(occurrence) {
            let message = "An occurrence is 1 to \(InAppLimits.maximumOccurrence)."
            reject("", "occurrence", ValueError(code: "outOfRange", message: message))
        }
        guard let filter = trigger.filter else { return }
        var measure = ConditionMeasure()
        measure.count(filter, at: Self.filterPath, depth: 1)
        errors += measure.errors.map(inFilter)
        // A predicate that is too complex is not checked any further.
        if !measure.errors.contains(where: { $0.error.code == "tooComplex" }) { check(filter, at: Self.filterPath) }
    }

    /// Adds the path of the filter. An error of the whole predicate has no path of its own.
    private func inFilter(_ error: ConditionError) -> ConditionError {
        error.path.isEmpty ? ConditionError(path: Self.filterPath, error: error.error) : error
    }

    private mutating func check(_ condition: Condition, at path: String) {
        switch condition {
        case .everyone, .attribute, .device: break
        case .all(let parts): check(parts, at: ConditionError.path(path, "all"))
        case .any(let parts): check(parts, at: ConditionError.path(path, "any"))
        case .not(let part): check(part, at: ConditionError.path(path, "not"))
        case .deviceFact(.pushOptIn, let comparison): checkFlag(comparison, at: path)
        case .deviceFact(.lastOpenedAt, _): rejectUnknown(path, "device")
        case .tag: rejectUnknown(path, "tag")
        case .contactKeys: rejectUnknown(path, "contactKeys")
        case .deviceIDs: rejectUnknown(path, "deviceIds")
        case .known: rejectUnknown(path, "known")
        case .event: rejectUnknown(path, "event")
        case .party: rejectUnknown(path, "party")
        }
    }

    private mutating func check(_ parts: [Condition], at path: String) {
        for (index, part) in parts.enumerated() { check(part, at: "\(path)[\(index)]") }
    }

    private mutating func checkFlag(_ comparison: Comparison, at path: String) {
        guard let found = comparison.flagError(of: .pushOptIn) else { return }
        reject(path, found.part, found.error)
    }

    private mutating func rejectUnknown(_ path: String, _ part: String) {
        let message = """
            A trigger's 'where' is about the event's attributes, the device's properties and pushOptIn: everyone, all, \
            any, not, attribute, device. For other conditions, use the audience.
            """
        reject(path, part, ValueError(code: "notOfTrigger", message: message))
    }

    private mutating func reject(_ path: String, _ part: String, _ error: ValueError) {
        errors.append(ConditionError(path: ConditionError.path(path, part), error: error))
    }
}
