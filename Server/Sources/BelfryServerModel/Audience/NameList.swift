import BelfryModel

/// The names that there are, in a message about one that is none of them: enough to see what was meant, however many an
/// app has and however long they are.
package enum NameList {
    /// How many are named.
    package static let maximumCount = 50
    /// Bytes of the names behind which no other is named.
    package static let maximumBytes = 2_048

    /// "a, b, c", or the first of them "and 7 more"; "none" without any.
    package static func text(_ names: some Collection<String>) -> String {
        guard !names.isEmpty else { return "none" }
        var named: [String] = []
        var bytes = 0
        for name in names.prefix(maximumCount) where bytes < maximumBytes {
            named.append(name)
            bytes += name.utf8.count
        }
        let others = names.count - named.count
        let text = named.joined(separator: ", ")
        return others > 0 ? "\(text) and \(others) more" : text
    }
}
