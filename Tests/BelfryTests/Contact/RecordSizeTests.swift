import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// A record that the setters take can be registered.
struct RecordSizeTests {
    @Test(
        "REG-8: a record never grows beyond one request, however its texts are escaped",
        arguments: ["x", "/", "\u{1}", "é", "\""])
    func largest(filler: String) async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let text = String(repeating: filler, count: 16_000 / filler.utf8.count)
        let results = try await client.edit { record in
            (0..<1_000).map { record.setAttribute("key \($0)", to: .string("a\(text)z")) }
                + (0..<1_000).map { record.addTag("tag \($0)") }
        }
        #expect(results.contains { $0.isAccepted })
        #expect(results.compactMap { $0.error?.code }.allSatisfy { $0 == "recordTooLarge" })
        #expect(results.contains { !$0.isAccepted })
        try await world.advance(by: 60)
        let bodies = await world.server.requests.filter { $0.name == World.registration }.map(\.body.count)
        #expect(bodies.count == 2)
        let largest = bodies.max() ?? 0
        #expect(largest <= WireLimits.maximumBodyBytes && largest > WireLimits.maximumBodyBytes - 300_000)
        try await world.checkRegistered(filler)
        await world.kill()
    }

    @Test(
        "REG-8: the size is that of the record's content, however it came about",
        arguments: Endurance.seeds(20, brief: 4))
    func size(seed: UInt64) async throws {
        let world = try World(seed: seed)
        let chance = Chance(seed: seed)
        let client = try world.make()
        let most = RecordSize.maximumBytes
        for _ in 0..<10 {
            let record = try await client.edit { edit in
                for _ in 0..<200 {
                    let key = "key \(chance.next() % 100)"
                    switch chance.unit() {
                    case ..<0.7:
                        let count = Int(chance.next() % 16_000)
                        edit.setAttribute(key, to: .string(String(repeating: "x", count: count)))
                    case ..<0.8: edit.clearAttribute(key)
                    case ..<0.9: edit.addTag(key)
                    case ..<0.99: edit.removeTag(key)
                    default: edit.setContactKey(key)
                    }
                }
                return edit.record
            }
            #expect(RecordSize.bytes(of: record) <= most)
        }
        // Values that fit are accepted, so the counted size was right.
        let record = try await world.state.record
        let room = most - RecordSize.bytes(of: record)
        let isTaken = try await client.edit { $0.addTag("t") }.isAccepted
        #expect(isTaken == (room >= 4))
        await world.kill()
    }

    @Test(
        "ID-3: an invalid contact field is refused, and changes nothing",
        arguments: ["", " \n", String(repeating: "x", count: 256)])
    func contactField(field: String) async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let before = try await world.state.sync
        let result = try await client.identify(contactKey: "anna", contactField: field)
        #expect(["blank", "tooLong"].contains(result.error?.code))
        #expect(try await world.state.sync == before)
        #expect(try await client.identify(contactKey: "anna", contactField: " 7 ").isAccepted)
        #expect(try await world.state.sync.link.target == .known(key: "anna", field: "7"))
        await world.kill()
    }
}
