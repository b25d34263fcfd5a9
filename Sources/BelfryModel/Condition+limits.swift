extension Condition {
    /// Refuses a predicate that would make an endless query (``ConditionLimits``, counted over the whole of it), or
    /// that asks for a text no database holds.
    public func checkLimits() throws(Refusal) {
        var measure = ConditionMeasure()
        try measure.count(self, depth: 1)
    }
}

private struct ConditionMeasure {
    var nodes = 0
    var listEntries = 0

    mutating func count(_ condition: Condition, depth: Int) throws(Refusal) {
        nodes += 1
        guard depth <= ConditionLimits.maximumDepth else {
            throw tooComplex("is at most \(ConditionLimits.maximumDepth) levels deep")
        }
        guard nodes <= ConditionLimits.maximumNodes else {
            throw tooComplex("has at most \(ConditionLimits.maximumNodes) parts, those of its parts included")
        }
        switch condition {
        case .all(let parts), .any(let parts):
            for part in parts { try count(part, depth: depth + 1) }
        case .not(let part):
            try count(part, depth: depth + 1)
        case .attribute(let name, let comparison):
            try NamingRule.refuseNull(in: name, "A predicate")
            try count(comparison)
        case .device(_, let comparison):
            try count(comparison)
        case .tag(let tag):
            try NamingRule.refuseNull(in: tag, "A predicate")
        case .contactKeys(let list), .deviceIDs(let list):
            try count(list: list.map(AttributeValue.string))
        case .everyone, .known:
            break
        }
    }

    private mutating func count(_ comparison: Comparison) throws(Refusal) {
        switch comparison {
        case .equal(let value), .notEqual(let value), .less(let value), .lessOrEqual(let value), .greater(let value),
            .greaterOrEqual(let value):
            try check(value)
        case .isIn(let values):
            try count(list: values)
        case .contains(let text), .startsWith(let text):
            try check(.string(text))
        case .exists:
            break
        }
    }

    private mutating func count(list: [AttributeValue]) throws(Refusal) {
        listEntries += list.count
        guard listEntries <= ConditionLimits.maximumListLength else {
            throw tooComplex("has at most \(ConditionLimits.maximumListLength) entries in all its lists")
        }
        for value in list { try check(value) }
    }

    private func check(_ value: AttributeValue) throws(Refusal) {
        if case .string(let text) = value { try NamingRule.refuseNull(in: text, "A predicate") }
    }

    private func tooComplex(_ what: String) -> Refusal {
        Refusal(code: "tooComplex", message: "A predicate \(what).")
    }
}
