import BelfryModel
import Testing

@testable import Belfry

/// An edit is a transaction, and the record can be read without one (REG-8).
struct RecordTransactionTests {
    private typealias Setter = @Sendable (inout RecordEdit) -> EditResult

    /// A record of anna with something in every field.
    private func recordOfAnna() -> ContactRecord {
        var edit = RecordEdit(ContactRecord())
        edit.setContactKey("anna")
        edit.setPartyIdentifier(type: "crm", name: "anna", number: "1")
        edit.setAttributes(["city": "Paris", "shoe": 38])
        edit.addTags(["sports", "news"])
        return edit.record
    }

    private func anySetter(_ chance: Chance) -> Setter {
        let name = "name \(chance.next() % 4)"
        switch chance.unit() {
        case ..<0.3: return { $0.setAttribute(name, to: 1) }
        case ..<0.4: return { $0.clearAttribute(name) }
        case ..<0.45: return { $0.clearAllAttributes() }
        case ..<0.7: return { $0.addTag(name) }
        case ..<0.8: return { $0.removeTag(name) }
        case ..<0.85: return { $0.removeAllTags() }
        default: return { $0.setContactKey(name) }
        }
    }

    @Test("REG-8: what is set beside a new contact key is the new person's, whatever the order")
    func besideKey() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.edit { record in
            record.setContactKey("anna")
            record.setAttributes(["city": "Paris", "shoe": 38])
        }
        try await world.advance(by: 120)
        let results = try await client.edit { record in
            [
                record.setAttribute("city", to: "Rome"), record.addTag("chess"),
                record.setPartyIdentifier(type: "crm", name: "bert", number: "2"), record.setContactKey("bert"),
            ]
        }
        #expect(results.allSatisfy { $0.isAccepted })
        try await world.advance(by: 120)
        let snapshot = try #require(await world.server.snapshots.last)
        let expected: [String: AttributeValue] = ["city": "Rome"]
        #expect(snapshot.contactKey == "bert")
        #expect(snapshot.attributes == expected)
        #expect(snapshot.tags == ["chess"])
        #expect(snapshot.partyIdentifier == PartyIdentifier(type: "crm", name: "bert", number: "2"))
        await world.kill()
    }

    @Test("REG-8: it does not matter where in an edit the contact key is set", arguments: [true, false])
    func anyPlace(isOther: Bool) {
        let key = isOther ? "bert" : "anna"
        let setters: [Setter] = [
            { $0.setAttribute("city", to: "Rome") }, { $0.clearAttribute("shoe") }, { $0.addTag("chess") },
            { $0.removeTag("news") }, { $0.setPartyIdentifier(type: "crm", name: key, number: "2") },
            { $0.setPushEnabled(false) },
        ]
        let records = (0...setters.count).map { place -> ContactRecord in
            var order = setters
            order.insert({ $0.setContactKey(key) }, at: place)
            var edit = RecordEdit(recordOfAnna())
            let results = order.map { $0(&edit) }
            #expect(results.allSatisfy { $0.isAccepted })
            #expect(edit.changesPerson == isOther)
            return edit.record
        }
        let tags = isOther ? ["chess"] : ["chess", "sports"]
        let attributes: [String: AttributeValue] = ["city": "Rome"]
        #expect(Set(records).count == 1)
        #expect(records.first?.tagNames == tags)
        #expect(records.first?.attributesByName == attributes)
        #expect(records.first?.pushEnabled == false)
    }

    @Test("REG-8: an edit that ends with the former contact's key keeps that contact's data", arguments: UInt64(1)...9)
    func backAgain(seed: UInt64) {
        let chance = Chance(seed: seed)
        var edit = RecordEdit(recordOfAnna())
        var reference = RecordEdit(recordOfAnna())
        for _ in 0..<60 {
            let setter = anySetter(chance)
            _ = setter(&edit)
            // The reference never leaves the contact.
            let key = reference.contactKey
            var attempt = reference
            _ = setter(&attempt)
            if attempt.contactKey == key { reference = attempt }
        }
        edit.setContactKey("anna")
        #expect(edit.record == reference.record)
        #expect(!edit.changesPerson)
    }

    @Test("REG-8: a record that has no room for what was set for another person refuses to become theirs again")
    func noRoom() {
        let text = String(repeating: "x", count: 16_000)
        var full = RecordEdit(ContactRecord())
        full.setContactKey("anna")
        for number in 0..<40 { full.setAttribute("anna \(number)", to: .string(text)) }
        var edit = RecordEdit(full.record)
        edit.setContactKey("bert")
        let results = (0..<40).map { edit.setAttribute("bert \($0)", to: .string(text)) }
        #expect(results.allSatisfy { $0.isAccepted })
        let before = edit.record
        let result = edit.setContactKey("anna")
        #expect(result.error?.code == "recordTooLarge")
        #expect(edit.record == before)
        #expect(edit.changesPerson)
    }

    @Test("REG-8: the record can be read without an edit: before the start, offline, and empty after a logout")
    func reading() async throws {
        let world = try World()
        await world.server.set(isOffline: true)
        let client = try world.make()
        try await client.edit { record in
            record.setContactKey(" anna ")
            record.setAttributes(["city": "Paris", "age": 31])
            record.addTags(["b", "a"])
            record.setPushEnabled(false)
        }
        var values = try await client.record()
        let attributes: [String: AttributeValue] = ["city": "Paris", "age": 31]
        #expect(values.contactKey == "anna")
        #expect(values.attributes == attributes)
        #expect(values.tags == ["a", "b"])
        #expect(!values.pushEnabled && values.osPushEnabled == nil && values.partyIdentifier == nil)
        try await client.start()
        #expect(try await client.record() == values)
        #expect(try await world.state.sync.registration.revision == 0)
        try await client.logout()
        values = try await client.record()
        #expect(values == RecordValues(ContactRecord(pushEnabled: false)))
        await world.kill()
    }

    @Test("REG-8, REG-10: attributes are set and cleared in bulk, and tags and attributes all at once")
    func bulk() {
        var edit = RecordEdit(ContactRecord())
        let results = edit.setAttributes(["city": "Paris", " age ": 31, "status": "x", "rate": .number(.nan), " ": 1])
        let codes = results.mapValues { $0.error?.code ?? "accepted" }
        let expected = [
            "city": "accepted", " age ": "accepted", "status": "reservedWord", "rate": "invalidNumber", " ": "blank",
        ]
        #expect(codes == expected)
        let set: [String: AttributeValue] = ["city": "Paris", "age": 31]
        #expect(edit.attributes == set)
        let clearings = edit.clearAttributes(["city", "never", " "]).map { $0.error?.code ?? "accepted" }
        #expect(clearings == ["accepted", "accepted", "blank"])
        let left: [String: AttributeValue] = ["age": 31]
        #expect(edit.attributes == left)
        edit.addTags(["a", "b"])
        let removals = [edit.clearAllAttributes(), edit.removeAllTags()]
        #expect(removals.allSatisfy { $0.isAccepted })
        #expect(edit.record == ContactRecord())
    }

    @Test("REG-8, REG-10: a reserved word is reported even where the setter's result is discarded")
    func reported() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.edit { record in
            for _ in 0..<100 { record.setAttribute("Status", to: "x") }
            record.clearAttribute("timezone")
            record.setAttribute("city", to: "Paris")
        }
        try await client.edit { record in
            for number in 0..<100 { record.addTag(String(repeating: "x", count: 129 + number)) }
        }
        try await client.identify(contactKey: " ")
        let attributes: [String: AttributeValue] = ["city": "Paris"]
        #expect(try await client.record().attributes == attributes)
        await world.kill()
        let rejections = await reports(of: client).compactMap { report -> ValueError? in
            if case .editRefused(let error) = report { error } else { nil }
        }
        #expect(rejections.map(\.code) == ["reservedWord", "reservedWord", "tooLong", "blank"])
        #expect(rejections.first?.message.contains("Status") == true)
    }

    @Test("REG-8: one edit reports at most 16 reasons, so that a mistake in a loop hides no other report")
    func boundedReports() {
        var edit = RecordEdit(ContactRecord())
        for word in AttributeKey.reservedWords { edit.setAttribute(word, to: 1) }
        #expect(edit.rejections.count == RecordEdit.maximumRejections)
    }
}
