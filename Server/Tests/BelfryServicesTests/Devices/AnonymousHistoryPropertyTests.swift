import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct AnonymousHistoryPropertyTests {
    private static let keys = ["anna", "bert", "cleo"]

    @Test(
        "ID-7, ID-8: in any order of two devices' calls, every event ends at the right contact",
        arguments: Endurance.seeds(8, brief: 3)
    )
    func owners(seed: UInt64) async throws {
        let world = try await ServiceWorld()
        var dice = SeededGenerator(seed: seed)
        var rule = HistoryRule()
        var devices: [ServiceDevice] = []
        for number in 0..<2 {
            devices.append(try await ServiceDevice.started(world, number + 1))
            rule.link(number, to: try await devices[number].home, reference: devices[number].contactReference)
        }
        for step in 0..<90 {
            world.clock.advance(by: 1)
            let number = Int.random(in: 0..<2, using: &dice)
            let key = Self.keys[Int.random(in: 0..<3, using: &dice)]
            switch Int.random(in: 0..<10, using: &dice) {
            case 0, 1:
                try await devices[number].identify(key)
                rule.link(number, to: key, reference: devices[number].contactReference)
            case 2:
                try await devices[number].linkAnonymously()
                rule.link(number, to: try await devices[number].home, reference: devices[number].contactReference)
            case 3:
                let key = Bool.random(using: &dice) ? key : nil
                try await devices[number].tell([:], key: key)
                if let key { rule.link(number, to: key, reference: nil) }
            default:
                // Now and then one that was sent before is sent again, under whatever reference.
                let id = Int.random(in: 0..<8, using: &dice) == 0 ? "e\(step / 2)" : "e\(step)"
                let reference = rule.references(of: number).randomElement(using: &dice)
                var event = try Event.test(id)
                event.contactReference = reference
                try await devices[number].track(event)
                rule.track(id, by: number, under: reference)
            }
        }
        try #require(rule.owners.count > 30)
        #expect(try await world.ownersByDevice() == rule.owners)
        // A contact that was merged is no longer listed, and no contact with a history is orphaned.
        let listed = try await world.contactKeys()
        #expect(listed.allSatisfy { rule.became[$0] == nil })
        let orphans = Set(try await world.contactKeys(orphaned: true))
        #expect(orphans.isDisjoint(with: rule.owners.values))
        #expect(orphans.isDisjoint(with: rule.homes))
    }
}

/// The rule, said once more and in memory.
private struct HistoryRule {
    /// The contact of each device.
    private(set) var homes: [String] = ["", ""]
    /// Anonymous contacts, and whom they have become.
    private(set) var became: [String: String] = [:]
    /// The contact of each event, by its device and its id.
    private(set) var owners: [String: String] = [:]
    /// What each device was given to name its contacts with.
    private var given: [[String: String]] = [[:], [:]]

    /// - Parameter reference: nil when the device was given none.
    mutating func link(_ device: Int, to key: String, reference: String?) {
        let former = homes[device]
        if isAnonymous(former), !isAnonymous(key) {
            became[former] = key
            for (event, owner) in owners where owner == former { owners[event] = key }
        }
        homes[device] = key
        if let reference { given[device][reference] = key }
    }

    func references(of device: Int) -> [String] {
        given[device].keys.sorted()
    }

    mutating func track(_ event: String, by device: Int, under reference: String?) {
        let name = "\(device + 1)/\(event)"
        guard owners[name] == nil else { return }
        let key = reference.flatMap { given[device][$0] } ?? homes[device]
        owners[name] = became[key] ?? key
    }

    private func isAnonymous(_ key: String) -> Bool {
        key.hasPrefix(ContactKey.anonymousPrefix)
    }
}

extension ServiceDevice {
    fileprivate var home: String {
        get async throws { try #require(try await contactKey) }
    }
}

extension ServiceWorld {
    /// The contact's key of each event, by its device's number and its id.
    fileprivate func ownersByDevice() async throws -> [String: String] {
        let rows = try await database.read { connection -> [(String, String)] in
            let keys = try connection.contactKeys()
            let events = try connection.query(
                """
                SELECT d.id, e.event_id, e.contact_id FROM events e JOIN devices d ON d.id = e.device_id
                WHERE e.contact_id IS NOT NULL
                """,
                []
            ) { (event: "\($0.integer(0))/\($0.text(1))", contact: $0.integer(2)) }
            return events.compactMap { event, contact in keys[contact].map { (event, $0) } }
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
