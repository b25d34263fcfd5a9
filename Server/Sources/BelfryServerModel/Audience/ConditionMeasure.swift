import BelfryModel

/// An error of a predicate, and its path: `all[1].not.value`. An empty path is the predicate itself.
package struct ConditionError: Hashable, Sendable {
    package let path: String
    package let error: ValueError

    package init(path: String, error: ValueError) {
        self.path = path
        self.error = error
    }

    /// The path of a part below another.
    static func path(_ path: String, _ part: String) -> String {
        path.isEmpty || part.utf8.starts(with: "[".utf8) ? path + part : "\(path).\(part)"
    }
}

/// Checks that a predicate does not make an unbounded query (``ConditionLimits``, counted over the whole predicate),
/// and that it has no text that databases cannot store. An exceeded limit is reported once, for the whole predicate.
struct ConditionMeasure {
    private(set) var errors: [ConditionError] = []
    private var nodes = 0
    private var listEntries = 0
    private var eventClauses = 0
    private var isTooComplex = false

    mutating func count(_ condition: Condition, at path: String, depth: Int) {
        nodes += 1
        guard depth <= ConditionLimits.maximumDepth else {
            return reject("is at most \(ConditionLimits.maximumDepth) levels deep")
        }
        guard nodes <= ConditionLimits.maximumNodes else {
            return reject("has at most \(ConditionLimits.maximumNodes) parts, those of its parts included")
        }
        switch condition {
        case .all(let parts): count(parts, at: ConditionError.path(path, "all"), depth: depth)
        case .any(let parts): count(parts, at: ConditionError.path(path, "any"), depth: depth)
        case .not(let part): count(part, at: ConditionError.path(path, "not"), depth: depth + 1)
        case .attribute(let name, let comparison):
            check(name, at: ConditionError.path(path, "attribute"))
            count(comparison, at: path)
        case .device(_, let comparison), .deviceFact(_, let comparison), .party(_, let comparison):
            count(comparison, at: path)
        case .tag(let tag): check(tag, at: ConditionError.path(path, "tag"))
        case .contactKeys(let list): count(texts: list, at: ConditionError.path(path, "contactKeys"))
        case .deviceIDs(let list): count(texts: list, at: ConditionError.path(path, "deviceIds"))
        case .event(let clause): count(clause, at: path, depth: depth)
        case .everyone, .known: break
        }
    }

    private mutating func count(_ parts: [Condition], at path: String, depth: Int) {
        for (index, part) in parts.enumerated() where !isTooComplex {
            count(part, at: "\(path)[\(index)]", depth: depth + 1)
        }
    }

    private mutating func count(_ clause: EventClause, at path: String, depth: Int) {
        eventClauses += 1
        guard eventClauses <= ConditionLimits.maximumEventClauses else {
            return reject("has at most \(ConditionLimits.maximumEventClauses) event clauses")
        }
        check(clause.name, at: ConditionError.path(path, "event"))
        if let filter = clause.filter { count(filter, at: ConditionError.path(path, "where"), depth: depth + 1) }
    }

    private mutating func count(_ comparison: Comparison, at path: String) {
        let path = ConditionError.path(path, "value")
        switch comparison {
        case .equal(let value), .notEqual(let value), .less(let value), .lessOrEqual(let value), .greater(let value),
            .greaterOrEqual(let value):
            check(value, at: path)
        case .isIn(let values):
            listEntries += values.count
            checkListEntries()
            for (index, value) in values.enumerated() { check(value, at: "\(path)[\(index)]") }
        case .contains(let text), .startsWith(let text):
            check(text, at: path)
        case .exists:
            break
        }
    }

    private mutating func count(texts: [String], at path: String) {
        listEntries += texts.count
        checkListEntries()
        for (index, text) in texts.enumerated() { check(text, at: "\(path)[\(index)]") }
    }

    private mutating func checkListEntries() {
        guard listEntries > ConditionLimits.maximumListLength else { return }
        reject("has at most \(ConditionLimits.maximumListLength) entries in all its lists")
    }

    private mutating func check(_ value: AttributeValue, at path: String) {
        if case .string(let text) = value { check(text, at: path) }
    }

    private mutating func check(_ text: String, at path: String) {
        do {
            try NamingRule.refuseNull(in: text, "A predicate")
        } catch {
            errors.append(ConditionError(path: path, error: error))
        }
    }

    private mutating func reject(_ what: String) {
        guard !isTooComplex else { return }
        isTooComplex = true
        // It comes first, for callers that show only one error.
        errors.insert(
            ConditionError(path: "", error: ValueError(code: "tooComplex", message: "A predicate \(what).")), at: 0
        )
    }
}
