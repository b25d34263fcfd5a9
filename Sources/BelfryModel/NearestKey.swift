/// Finds the key that somebody probably meant, for messages about unknown ones.
public enum NearestKey {
    /// Keys longer than this, in UTF-8 bytes, are not compared: a stranger's input must not cost much.
    public static let maximumBytes = 64

    /// The known key with the fewest edits, if they are few for its length: at most a third of it, or
    /// one. Case does not count.
    public static func find(_ key: String, in known: [String]) -> String? {
        guard key.utf8.count <= maximumBytes else { return nil }
        let ranked = known.map { (key: $0, distance: distance(key.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(1, best.key.count / 3)
        else { return nil }
        return best.key
    }

    /// Levenshtein's distance: insertions, deletions and replacements.
    private static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var previous = Array(0...right.count)
        for (row, character) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let replaced = previous[column] + (character == other ? 0 : 1)
                current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[right.count]
    }
}
