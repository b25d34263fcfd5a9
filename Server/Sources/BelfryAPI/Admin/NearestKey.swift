/// Finds the key that somebody probably meant.
enum NearestKey {
    /// The known key with the fewest edits, if they are few for its length.
    static func find(_ key: String, in known: [String]) -> String? {
        guard key.utf8.count <= 64 else { return nil }
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
