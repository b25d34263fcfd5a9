import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

/// Every setter of the record, with whatever texts there may be: what is accepted is stored trimmed, and what is
/// refused says why and changes nothing.
struct RecordSetterTests {
    private static let cases = 600

    /// Texts around every limit that there is.
    private struct Texts {
        let chance: Chance

        private static let pieces = [
            "a", "B", "7", " ", "\n", "\t", "\u{a0}", "\u{2003}", "\u{0}", "é", "e\u{301}", "ß", "😀", "👩‍👩‍👧", "日",
            "anonymous:", "-", "_", "\"", "\\", "\u{200b}",
        ]
        private static let spaces = ["", "", " ", "\n", " \t ", "\u{2003}"]

        func pick<Element>(_ choices: [Element]) -> Element {
            choices[Int(chance.next() % UInt64(choices.count))]
        }

        func next(limit: Int) -> String {
            pick(Self.spaces) + middle(limit: limit) + pick(Self.spaces)
        }

        private func middle(limit: Int) -> String {
            switch chance.unit() {
            case ..<0.1: ""
            case ..<0.3: reserved
            case ..<0.5: String(repeating: pick(["x", "ä", "e\u{301}"]), count: limit - 1 + Int(chance.next() % 3))
            // Few characters with many bytes.
            case ..<0.6: String(repeating: "👩‍👩‍👧", count: 50 + Int(chance.next() % 20))
            default: (0..<(1 + Int(chance.next() % 12))).map { _ in pick(Self.pieces) }.joined()
            }
        }

        private var reserved: String {
            let word = pick(AttributeKey.reservedWords.sorted())
            return String(word.map { chance.unit() < 0.5 ? Character($0.uppercased()) : $0 })
        }
    }

    private enum Kind {
        case contactKey, attributeKey, tag, party

        var limit: Int { self == .contactKey || self == .party ? 255 : 128 }

        /// The error of a text according to REG-9 to REG-11; nil if it is valid.
        func error(of text: String) -> String? {
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if trimmed.isEmpty { return "blank" }
            if trimmed.count > limit || trimmed.utf8.count > 1_024 { return "tooLong" }
            if trimmed.unicodeScalars.contains("\u{0}") { return "invalidCharacter" }
            if self == .attributeKey, Self.reserved.contains(trimmed.lowercased()) { return "reservedWord" }
            if self == .contactKey, trimmed.hasPrefix("anonymous:") { return "reservedPrefix" }
            return nil
        }

        private static let reserved = Set(AttributeKey.reservedWords.map { $0.lowercased() })
    }

    /// An edit of a record with something in every field, so that a change shows.
    private func full() -> RecordEdit {
        var edit = RecordEdit(ContactRecord())
        edit.setContactKey("present")
        edit.setPartyIdentifier(type: "type", name: "name", number: "number")
        edit.setAttribute("present", to: "value")
        edit.addTag("present")
        return RecordEdit(edit.record)
    }

    /// The setter's answer is the expected one; a refused one has said why and changed nothing.
    private func check(
        _ result: EditResult, _ expected: String?, _ edit: RecordEdit, _ former: ContactRecord, _ place: String
    ) {
        #expect(result.error?.code == expected, "\(place)")
        guard expected != nil else { return }
        #expect(result.error?.message.isEmpty == false, "\(place)")
        #expect(edit.record == former, "\(place)")
    }

    @Test("REG-9: a contact key is stored trimmed, or refused", arguments: UInt64(1)...5)
    func contactKey(seed: UInt64) {
        let texts = Texts(chance: Chance(seed: seed))
        for number in 0..<Self.cases {
            var edit = full()
            let former = edit.record
            let text = texts.next(limit: 255)
            let expected = Kind.contactKey.error(of: text)
            let result = edit.setContactKey(text)
            let place = "seed \(seed), text \(number): \(text.debugDescription.prefix(80))"
            check(result, expected, edit, former, place)
            guard expected == nil else { continue }
            #expect(edit.contactKey == text.trimmingCharacters(in: .whitespacesAndNewlines), "\(place)")
            #expect(edit.tags.isEmpty && edit.attributes.isEmpty && edit.record.partyIdentifier == nil, "\(place)")
        }
    }

    @Test("REG-10: an attribute is stored under its trimmed key, or refused", arguments: UInt64(1)...5)
    func attributeKey(seed: UInt64) {
        let texts = Texts(chance: Chance(seed: seed))
        for number in 0..<Self.cases {
            var edit = full()
            let former = edit.record
            let text = texts.next(limit: 128)
            let expected = Kind.attributeKey.error(of: text)
            let place = "seed \(seed), text \(number): \(text.debugDescription.prefix(80))"
            let result = edit.setAttribute(text, to: 7)
            check(result, expected, edit, former, place)
            var cleared = edit
            let clearing = cleared.clearAttribute(text)
            check(clearing, expected, cleared, edit.record, place)
            guard expected == nil else { continue }
            let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
            let stored = edit.attributes[key.precomposedStringWithCanonicalMapping]
            #expect(stored == AttributeValue.number(7), "\(place)")
            #expect(edit.attributes.count == 2, "\(place)")
            #expect(cleared.attributes.count == 1, "\(place)")
        }
    }

    @Test("REG-10: a value is stored trimmed, even a blank one; one that is too long or has a null is refused")
    func values() {
        let texts = Texts(chance: Chance(seed: 1))
        for number in 0..<Self.cases {
            var edit = full()
            let former = edit.record
            let text = texts.next(limit: number.isMultiple(of: 20) ? SnapshotReading.maximumValueBytes : 100)
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            var expected: String?
            if trimmed.utf8.contains(0) { expected = "invalidCharacter" }
            if trimmed.utf8.count > SnapshotReading.maximumValueBytes { expected = "tooLong" }
            let place = "text \(number): \(text.debugDescription.prefix(80))"
            let result = edit.setAttribute("city", to: .string(text))
            check(result, expected, edit, former, place)
            guard expected == nil else { continue }
            #expect(edit.attributes["city"] == AttributeValue.string(trimmed), "\(place)")
        }
    }

    @Test("REG-11: a tag is stored trimmed and once, or refused, singly and in bulk", arguments: UInt64(1)...5)
    func tags(seed: UInt64) {
        let texts = Texts(chance: Chance(seed: seed))
        for number in 0..<Self.cases {
            var edit = full()
            let former = edit.record
            let text = texts.next(limit: 128)
            let expected = Kind.tag.error(of: text)
            let place = "seed \(seed), text \(number): \(text.debugDescription.prefix(80))"
            let results = edit.addTags([text, " \(text)"])
            for result in results {
                check(result, expected, edit, former, place)
            }
            let tag = text.trimmingCharacters(in: .whitespacesAndNewlines)
            let isNew = expected == nil && tag != "present"
            #expect(edit.tags.count == (isNew ? 2 : 1), "\(place)")
            let removals = edit.removeTags([text]).map { $0.error?.code }
            #expect(removals == [expected], "\(place)")
            #expect(edit.tags.contains(tag) == false, "\(place)")
        }
    }

    @Test(
        "REG-1: each part of a party identifier is stored trimmed, or all three are refused", arguments: UInt64(1)...5)
    func party(seed: UInt64) {
        let texts = Texts(chance: Chance(seed: seed))
        for number in 0..<Self.cases {
            var edit = full()
            let former = edit.record
            let parts = (0..<3).map { _ in texts.chance.unit() < 0.5 ? " part " : texts.next(limit: 255) }
            let expected = parts.compactMap { Kind.party.error(of: $0) }.first
            let place = "seed \(seed), parts \(number): \(parts.map { $0.debugDescription.prefix(40) })"
            let result = edit.setPartyIdentifier(type: parts[0], name: parts[1], number: parts[2])
            check(result, expected, edit, former, place)
            guard expected == nil else { continue }
            let trimmed = parts.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            let party = PartyIdentifier(type: trimmed[0], name: trimmed[1], number: trimmed[2])
            #expect(edit.record.partyIdentifier == party, "\(place)")
        }
    }

    @Test("REG-10, REG-11: a full record accepts no more, and still changes its values")
    func full1000() {
        var edit = RecordEdit(ContactRecord())
        for number in 0..<SnapshotReading.maximumEntries {
            edit.setAttribute("key \(number)", to: 1)
            edit.addTag("tag \(number)")
        }
        let codes = [edit.setAttribute("one more", to: 1), edit.addTag("one more")].map { $0.error?.code }
        #expect(codes == ["tooMany", "tooMany"])
        let changed = [edit.setAttribute("key 7", to: 2), edit.addTag("tag 7")].map(\.isAccepted)
        #expect(changed == [true, true])
        #expect(edit.attributes["key 7"] == AttributeValue.number(2))
        #expect(edit.tags.count == SnapshotReading.maximumEntries)
    }
}
