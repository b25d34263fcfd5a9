/// Finds the key that a person probably meant, for errors about unknown keys.
public enum NearestKey {
    /// Keys longer than this, in UTF-8 bytes, are not compared, so that outside input cannot cost much.
    public static let maximumBytes = 64

    /// The known key with the fewest edits, if they are few for its length: at most a third of it, or one. The
    /// comparison is case-insensitive.
    public static func find(_ key: String, in known: [String]) -> String? {
        guard key.utf8.count <= maximumBytes else { return nil }
        let wanted = letters(key)
        let ranked = known.map { (key: $0, distance: distance(wanted, letters($0))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(1, best.key.count / 3)
        else { return nil }
        return best.key
    }

    /// Code points, because characters take many times as long to compare.
    private static func letters(_ text: String) -> [Unicode.Scalar] { Array(text.lowercased().unicodeScalars) }

    /// The number of insertions, deletions, replacements, and swaps of two neighbors (optimal string alignment).
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let replaced = previous[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
                let isSwap = row > 0 && column > 0 && left[row] == right[column - 1] && left[row - 1] == right[column]
                if isSwap { best = min(best, beforePrevious[column - 1] + 1) }
                current.append(best)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
