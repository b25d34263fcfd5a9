// The common parts of sentences about a condition, for any reader.

extension Comparison {
    /// Continues a sentence after the name of the compared value: `is at least 50`.
    ///
    /// - Parameters:
    ///   - value: returns a value's text in the sentence.
    ///   - list: returns the text of several values.
    public func phrase(value: (AttributeValue) -> String, list: ([AttributeValue]) -> String) -> String {
        switch self {
        case .equal(let other): "is \(value(other))"
        case .notEqual(let other): "is not \(value(other))"
        case .less(let other): "is less than \(value(other))"
        case .lessOrEqual(let other): "is at most \(value(other))"
        case .greater(let other): "is greater than \(value(other))"
        case .greaterOrEqual(let other): "is at least \(value(other))"
        case .isIn(let others): "is one of \(list(others))"
        case .contains(let text): "contains \(value(.string(text)))"
        case .startsWith(let text): "begins with \(value(.string(text)))"
        case .exists(let isThere): isThere ? "is known" : "is not known"
        }
    }
}

extension DeviceProperty {
    /// The name in a sentence.
    public var phrase: String {
        switch self {
        case .platform: "platform"
        case .osVersion: "system version"
        case .appVersion: "app version"
        case .sdkVersion: "SDK version"
        case .deviceModel: "model"
        case .locale: "locale"
        case .timeZone: "time zone"
        }
    }
}
