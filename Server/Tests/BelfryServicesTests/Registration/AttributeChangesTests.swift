import BelfryModel
import BelfryServices
import BelfryTestSupport
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

    @Test("REG-28: an absent attribute keeps its value, a blank one clears it, and clearing again changes nothing")
    func clearing() throws {
        let city = try AttributeKey("city")
        let absent = AttributeChanges(from: ["city": "Paris"], to: [:])
        #expect(absent.applied(to: ["city": "Paris"]) == ["city": "Paris"])
        let blank = AttributeChanges(from: ["city": "Paris"], to: [city: ""])
        #expect(blank.applied(to: ["city": "Rome"]) == [:])
        let repeated = AttributeChanges(from: ["city": ""], to: [city: ""])
        #expect(repeated.applied(to: ["city": "Rome"]) == ["city": "Rome"])
    }

    @Test("REG-28: a repeated date is no change, although the store keeps it as text")
    func dates() throws {
        let birthday = try AttributeKey("birthday")
        let former: [String: AttributeValue] = ["birthday": .string(Timestamp.text(noon))]
        #expect(AttributeChanges(from: former, to: [birthday: .date(noon)]).set.isEmpty)
        let next = AttributeValue.date(noon.addingTimeInterval(0.001))
        #expect(AttributeChanges(from: former, to: [birthday: next]).set == [birthday: next])
    }

    @Test(
        "REG-28: in any order of two devices of a contact, a repeated value never overwrites",
        arguments: Endurance.seeds(8, brief: 3)
    )
    func twoDevices(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var contact: [String: AttributeValue] = [:]
        var said: [[String: AttributeValue]] = [[:], [:]]
        for _ in 0..<500 {
            let device = Int.random(in: 0..<2, using: &dice)
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

    @Test("REG-28: an old device that repeats its values for a year overwrites nothing newer", arguments: 1...4)
    func oldDevice(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
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
        after said: [String: AttributeValue], _ dice: inout SeededGenerator
    ) throws -> [AttributeKey: AttributeValue] {
        var snapshot: [AttributeKey: AttributeValue] = [:]
        for name in Self.names {
            let key = try AttributeKey(name)
            switch Int.random(in: 0..<6, using: &dice) {
            case 0: continue
            case 1: snapshot[key] = ""
            case 2, 3: snapshot[key] = value(of: name, &dice)
            default: snapshot[key] = said[name].map { restored($0, of: name) }
            }
        }
        return snapshot
    }

    private func value(of name: String, _ dice: inout SeededGenerator) -> AttributeValue {
        switch name {
        case "age": .number(Double(Int.random(in: 0..<4, using: &dice)))
        case "vip": .boolean(Int.random(in: 0..<2, using: &dice) == 0)
        case "birthday": .date(noon.addingTimeInterval(Double(Int.random(in: 0..<4, using: &dice)) / 1000))
        default: .string(["Paris", "Rome", "Oslo"][Int.random(in: 0..<3, using: &dice)])
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
