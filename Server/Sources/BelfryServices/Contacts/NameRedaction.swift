import BelfryModel
import Foundation

/// Removes a person's names from a text that somebody wrote. Names are found as whole words, in any case and in any
/// Unicode composition (UAX #15), because a writer does not choose the code points. Removing too much does no harm
/// here; missing a name does.
struct NameRedaction: Sendable {
    /// The fewest bytes of a name. A shorter text, such as `12`, identifies nobody in a sentence.
    static let shortest = 4
    /// The most bytes of a text: more than 2,000 code points can have when they are composed and contain marks.
    static let longestText = 131_072
    /// The replacement for a name.
    static let mark = "[erased]"

    /// A name in lower case and in composed form.
    typealias Name = [Unicode.Scalar]

    /// The names in order, each once. So the names that match the beginning of a text are adjacent, the shortest first.
    private let names: [Name]

    init(_ names: Set<Name>) {
        self.names = names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    init(_ names: PersonNames) {
        let all = names.keys.union(names.devices).union(names.partyNumbers)
            .filter { $0.utf8.count >= Self.shortest }.map { Self.letters($0).map(Self.lowercased) }
        self.init(Set(all))
    }

    var isEmpty: Bool { names.isEmpty }

    /// The text without the names, otherwise in composed form; nil for a text without names.
    func redacted(_ text: String) -> String? {
        let letters = Self.letters(text)
        let lower = letters.map(Self.lowercased)
        var written = String.UnicodeScalarView()
        var place = 0
        var isChanged = false
        while place < lower.count {
            if let length = length(at: place, of: lower) {
                written.append(contentsOf: Self.mark.unicodeScalars)
                place += length
                isChanged = true
            } else {
                written.append(letters[place])
                place += 1
            }
        }
        return isChanged ? String(written) : nil
    }

    /// All names in a text, including names within other names.
    func names(in text: String) -> Set<Name> {
        let lower = Self.letters(text).map(Self.lowercased)
        return Set(lower.indices.flatMap { place in names(at: place, of: lower).map { names[$0] } })
    }

    private static func letters(_ text: String) -> [Unicode.Scalar] {
        Array((ComposedText.make(of: text, within: longestText) ?? text).unicodeScalars)
    }

    /// The lower case of a letter. A letter whose lower case is several letters stays as it is.
    private static func lowercased(_ letter: Unicode.Scalar) -> Unicode.Scalar {
        let lower = letter.properties.lowercaseMapping.unicodeScalars
        return lower.count == 1 ? lower.first ?? letter : letter
    }

    /// The length of the longest name at a place; nil if there is none.
    private func length(at place: Int, of text: [Unicode.Scalar]) -> Int? {
        names(at: place, of: text).last.map { names[$0].count }
    }

    /// The indices of the names at a place of a text, shortest first. Each letter reduces the candidates, and most
    /// words of a text do not begin like any name (SEC-8).
    private func names(at place: Int, of text: [Unicode.Scalar]) -> [Int] {
        guard Self.isEdge(place, of: text) else { return [] }
        var left = names.indices
        var (count, found): (Int, [Int]) = (0, [])
        while let first = left.first {
            if names[first].count == count, Self.isEdge(place + count, of: text) { found.append(first) }
            guard place + count < text.count else { break }
            let letter = text[place + count]
            let start = firstName(in: left) { name in name.count > count && name[count] >= letter }
            left = start..<firstName(in: start..<left.upperBound) { name in name[count] > letter }
            count += 1
        }
        return found
    }

    /// The index of the first name for which a condition holds that also holds for all later names; the end of the
    /// range if there is none.
    private func firstName(in range: Range<Int>, where condition: ([Unicode.Scalar]) -> Bool) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(names[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Whether a word begins or ends at a place. That is not the case between letters, digits and their marks, except
    /// in scripts without spaces.
    private static func isEdge(_ place: Int, of text: [Unicode.Scalar]) -> Bool {
        guard place > 0, place < text.count else { return true }
        let sides = [text[place - 1], text[place]]
        return !sides.allSatisfy(isOfWord) || sides.contains(where: isWithoutSpaces)
    }

    private static func isOfWord(_ letter: Unicode.Scalar) -> Bool {
        switch letter.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber: true
        default: letter.properties.isAlphabetic
        }
    }

    /// Thai, Lao, Burmese, Khmer, Japanese and Chinese put no spaces between words.
    private static func isWithoutSpaces(_ letter: Unicode.Scalar) -> Bool {
        switch letter.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x3400...0x9FFF, 0xF900...0xFAFF,
            0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
