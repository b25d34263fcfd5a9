import BelfryModel

extension String {
    /// Whether a name of a setting is within its bounds, which are in characters for people and in bytes for the store.
    func isNamed(within maximumLength: Int) -> Bool {
        utf8.count <= NamingRule.maximumBytes && (1...maximumLength).contains(count) && !utf8.contains(0)
    }
}
