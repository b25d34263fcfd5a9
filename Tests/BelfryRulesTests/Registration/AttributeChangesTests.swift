import BelfryModel
import BelfryRules
import Foundation
import Testing

struct AttributeChangesTests {
    private let noon = Date(milliseconds: 1_795_262_400_001)

    @Test("REG-28: only what differs from the device's former snapshot is written")
    func table() throws {
        let city = try AttributeKey("city")
        let age = try AttributeKey("age")
        let changes = AttributeChanges(from: ["city": "Paris", "age": 31], to: [city: "Rome", age: 31])
        #expect(changes.set == [city: "Rome"])
        #expect(changes.cleared.isEmpty)
        #expect(changes.applied(to: ["age": 32, "vip": true]) == ["city": "Rome", "age": 32, "vip": true])
    }

    @Test("REG-28: an absent attribute keeps, a blank one clears, and clearing again clears nothing more")
    func clearing() throws {
        let city = try AttributeKey("city")
        let absent = AttributeChanges(from: ["city": "Paris"], to: [:])
        #expect(absent.applied(to: ["city": "Paris"]) == ["city": "Paris"])
        let blank = AttributeChanges(from: ["city": "Paris"], to: [city: ""])
        #expect(blank.applied(to: ["city": "Rome"]) == [:])
        let repeated = AttributeChanges(from: ["city": ""], to: [city: ""])
        #expect(repeated.applied(to: ["city": "Rome"]) == ["city": "Rome"])
    }

    @Test("REG-28: a repeated date is no change, though the store keeps it as text")
    func dates() throws {
        let birthday = try AttributeKey("birthday")
        let former: [String: AttributeValue] = ["birthday": .string(Timestamp.text(noon))]
        #expect(AttributeChanges(from: former, to: [birthday: .date(noon)]).set.isEmpty)
        let next = AttributeValue.date(noon.addingTimeInterval(0.001))
        #expect(AttributeChanges(from: former, to: [birthday: next]).set == [birthday: next])
    }

    @Test(
        "REG-28: whatever two devices of a contact say in whatever order, a repeated value never overwrites",
        arguments: 1...8
    )
    func twoDevices(seed: UInt64) throws {
        var dice = DeliveryDice(seed: seed)
        var contact: [String: AttributeValue] = [:]
        var said: [[String: AttributeValue]] = [[:], [:]]
        for _ in 0..<500 {
            let device = dice.roll(2)
            let snapshot = try snapshot(after: said[device], &dice)
            let before = contact
            contact = AttributeChanges(from: said[device], to: snapshot).applied(to: contact)
            for name in Self.names {
                let value = snapshot[try AttributeKey(name)]
                if value == nil || value?.asWritten == said[device][name] {
                    #expect(contact[name] == before[name], "what was not said, or only repeated, changes nothing")
                } else {
                    #expect(contact[name] == (value?.isBlank == true ? nil : value), "what is new counts")
                }
            }
            said[device] = try stored(snapshot)
        }
    }

    @Test("REG-28: an old device that repeats itself for a year keeps nothing a newer one set", arguments: 1...4)
    func oldDevice(seed: UInt64) throws {
        var dice = DeliveryDice(seed: seed)
        let old = try snapshot(after: [:], &dice).filter { !$0.value.isBlank }
        var contact = AttributeChanges(from: [:], to: old).applied(to: [:])
        var said: [String: AttributeValue] = [:]
        for _ in 0..<365 {
            contact = AttributeChanges(from: try stored(old), to: old).applied(to: contact)
            let newer = try snapshot(after: said, &dice)
            contact = AttributeChanges(from: said, to: newer).applied(to: contact)
            said = try stored(newer)
            contact = AttributeChanges(from: try stored(old), to: old).applied(to: contact)
            for (name, value) in said {
                // Once the newer device has said something of an attribute, its word stands.
                #expect(contact[name]?.asWritten == (value.isBlank ? nil : value))
            }
        }
    }

    private static let names = ["city", "age", "vip", "birthday"]

    /// Mostly what was said before; now and then something else, something blank, or nothing.
    private func snapshot(
        after said: [String: AttributeValue], _ dice: inout DeliveryDice
    ) throws -> [AttributeKey: AttributeValue] {
        var snapshot: [AttributeKey: AttributeValue] = [:]
        for name in Self.names {
            let key = try AttributeKey(name)
            switch dice.roll(6) {
            case 0: continue
            case 1: snapshot[key] = ""
            case 2, 3: snapshot[key] = value(of: name, &dice)
            default: snapshot[key] = said[name].map { restored($0, of: name) }
            }
        }
        return snapshot
    }

    private func value(of name: String, _ dice: inout DeliveryDice) -> AttributeValue {
        switch name {
        case "age": .number(Double(dice.roll(4)))
        case "vip": .boolean(dice.roll(2) == 0)
        case "birthday": .date(noon.addingTimeInterval(Double(dice.roll(4)) / 1000))
        default: .string(["Paris", "Rome", "Oslo"][dice.roll(3)])
        }
    }

    /// As the app's schema reads it back.
    private func restored(_ value: AttributeValue, of name: String) -> AttributeValue {
        guard name == "birthday" else { return value }
        return AttributeType.date.admit(value) ?? value
    }

    /// As the store keeps a device's last snapshot: as JSON.
    private func stored(_ snapshot: [AttributeKey: AttributeValue]) throws -> [String: AttributeValue] {
        let values = Dictionary(uniqueKeysWithValues: snapshot.map { ($0.key.rawValue, $0.value) })
        return try JSONDecoder().decode([String: AttributeValue].self, from: JSONEncoder().encode(values))
    }
}
