import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Who works on a campaign may have named a person in a comment, or in the reason of a decision: that is taken out, too
/// (ADM-4, CON-12).
extension ContactService {
    /// Texts that are read at once.
    private static let textsAtOnce = 200

    func forgetInComments(_ names: PersonNames, app: AppRecord) async throws {
        let redaction = NameRedaction(names)
        guard !redaction.isEmpty else { return }
        for kind in ReviewTextKind.allCases {
            var position: ReviewTextRepository.Position?
            while true {
                let start = position
                let page = try await database.read {
                    try $0.reviewTexts.list(kind, app: app.id, after: start, limit: Self.textsAtOnce)
                }
                let changed = page.compactMap { entry in
                    redaction.redacted(entry.text).map { (entry.position.id, $0) }
                }
                if !changed.isEmpty {
                    try await database.write { connection in
                        for (id, text) in changed { try connection.reviewTexts.replace(kind, id, by: text) }
                    }
                }
                guard page.count == Self.textsAtOnce, let last = page.last else { break }
                position = last.position
            }
        }
    }
}

/// Takes a person's names out of a text that somebody wrote. They are found as whole words, in any case of their
/// letters and however these are composed (UAX #15): who types a name does not choose its code points. That more is
/// taken out than was meant does no harm here; that a name stays does.
struct NameRedaction: Sendable {
    /// Bytes. What is shorter names nobody in a sentence: `12` is a number there.
    static let shortest = 4
    /// What stands in the place of a name.
    static let mark = "[erased]"

    /// In lower case, by their lengths, the longest first: a word of a text is looked up, however many names there are.
    private let names: [(length: Int, names: Set<[Unicode.Scalar]>)]

    init(_ names: PersonNames) {
        let all = names.keys.union(names.devices).union(names.partyNumbers)
            .filter { $0.utf8.count >= Self.shortest }.map { Self.letters($0).map(Self.lowercased) }
        self.names = Dictionary(grouping: all, by: \.count).map { (length: $0.key, names: Set($0.value)) }
            .sorted { $0.length > $1.length }
    }

    var isEmpty: Bool { names.isEmpty }

    /// The text without the names, its other letters composed; nil for one that names nobody.
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

    private static func letters(_ text: String) -> [Unicode.Scalar] {
        Array(text.precomposedStringWithCanonicalMapping.unicodeScalars)
    }

    /// A letter whose lower case is not one letter stays as it is.
    private static func lowercased(_ letter: Unicode.Scalar) -> Unicode.Scalar {
        let lower = letter.properties.lowercaseMapping.unicodeScalars
        return lower.count == 1 ? lower.first ?? letter : letter
    }

    /// How long the name is that stands at a place; nil where none does.
    private func length(at place: Int, of text: [Unicode.Scalar]) -> Int? {
        guard Self.isEdge(place, of: text) else { return nil }
        return names.first { entry in
            let end = place + entry.length
            return end <= text.count && Self.isEdge(end, of: text) && entry.names.contains(Array(text[place..<end]))
        }?.length
    }

    /// Whether a word begins or ends at a place: not within letters, digits and their marks, but for scripts without
    /// spaces.
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
