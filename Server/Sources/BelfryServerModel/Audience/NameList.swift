import BelfryModel

/// The existing names, for a message about an unknown one: enough to see what was meant, however many and long they
/// are.
package enum NameList {
    /// The most names that are listed.
    package static let maximumCount = 50
    /// No further name is listed after this many bytes.
    package static let maximumBytes = 2_048

    /// "a, b, c", or the first of them "and 7 more". "none" if there are none.
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
