import BelfryModel

/// Comparisons of a value that may be missing: a missing value matches only `exists` false.
extension Comparison {
    /// Compares as numbers when both sides are numbers or texts that contain numbers, otherwise as texts, by code
    /// points.
    package func holds(_ value: AttributeValue?) -> Bool {
        guard let value else { return isOfMissing }
        switch self {
        case .equal(let other): return value.order(to: other) == 0
        case .notEqual(let other): return value.order(to: other) != 0
        case .less(let other): return value.order(to: other) < 0
        case .lessOrEqual(let other): return value.order(to: other) <= 0
        case .greater(let other): return value.order(to: other) > 0
        case .greaterOrEqual(let other): return value.order(to: other) >= 0
        case .isIn(let others): return others.contains { value.order(to: $0) == 0 }
        case .contains(let part): return value.textRead.utf8.contains(part.utf8)
        case .startsWith(let part): return value.textRead.utf8.starts(with: part.utf8)
        case .exists(let flag): return flag
        }
    }

    /// Compares an attribute of an event, whose dates are texts.
    func holds(ofEvent value: AttributeValue?) -> Bool {
        switch self {
        case .equal(let other): Comparison.isIn(EventDateText.equals(other)).holds(value)
        case .notEqual(let other): value != nil && !Comparison.isIn(EventDateText.equals(other)).holds(value)
        case .less(let other): Comparison.less(EventDateText.ordered(other)).holds(value)
        case .lessOrEqual(let other): Comparison.lessOrEqual(EventDateText.ordered(other)).holds(value)
        case .greater(let other): Comparison.greater(EventDateText.ordered(other)).holds(value)
        case .greaterOrEqual(let other): Comparison.greaterOrEqual(EventDateText.ordered(other)).holds(value)
        case .isIn(let others): Comparison.isIn(others.flatMap(EventDateText.equals)).holds(value)
        case .contains, .startsWith, .exists: holds(value)
        }
    }

    private var isOfMissing: Bool {
        if case .exists(false) = self { true } else { false }
    }
}

extension AttributeValue {
    /// Negative, zero or positive if this comes before the other, is equal to it or comes after it.
    fileprivate func order(to other: AttributeValue) -> Int {
        if let number = numberRead, let otherNumber = other.numberRead {
            return number == otherNumber ? 0 : number < otherNumber ? -1 : 1
        }
        let (text, otherText) = (textRead.utf8, other.textRead.utf8)
        if text.elementsEqual(otherText) { return 0 }
        return text.lexicographicallyPrecedes(otherText) ? -1 : 1
    }
}

extension String.UTF8View {
    /// Whether these bytes contain the bytes of another text; then the text contains its code points.
    ///
    /// The time is proportional to the sum of both lengths, not to their product: one text comes from a device, the
    /// other from a marketer (Knuth, Morris and Pratt; SEC-8).
    fileprivate func contains(_ part: String.UTF8View) -> Bool {
        let part = Array(part)
        guard !part.isEmpty else { return true }
        // For each prefix of the part: the length of the longest shorter prefix with which it ends.
        var borders = [Int](repeating: 0, count: part.count)
        var matched = 0
        for index in part.indices.dropFirst() {
            while matched > 0, part[index] != part[matched] { matched = borders[matched - 1] }
            if part[index] == part[matched] { matched += 1 }
            borders[index] = matched
        }
        matched = 0
        for byte in self {
            while matched > 0, byte != part[matched] { matched = borders[matched - 1] }
            if byte == part[matched] { matched += 1 }
            if matched == part.count { return true }
        }
        return false
    }
}
