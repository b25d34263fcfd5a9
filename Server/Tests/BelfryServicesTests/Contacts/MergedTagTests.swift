import BelfryModel
import BelfryRules
import BelfryServices
import Foundation
import Testing

/// The recipient tags of pushes to devices whose contact an operator has merged into another (ADM-5, ID-4).
@Suite("Recipient tags after a merge")
struct MergedTagTests {
    /// A device that Bob used before Ann logged in on it; it remembers the tags of both as the SDK does.
    private struct Phone {
        let world: ServiceWorld
        var device: ServiceDevice
        var tags = RecipientTags()
        private var owner = 0

        init(_ world: ServiceWorld) async throws {
            self.world = world
            device = try await ServiceDevice.started(world, 1)
            linked()
            for name in ["bob", "ann"] { try await logIn(name) }
            try await device.putToken("token1")
        }

        /// Another person logs in, or the same one with another key: the device cannot tell.
        mutating func logIn(_ key: String) async throws {
            owner += 1
            tags.personChanged(owner: owner)
            try await link(key)
        }

        /// Links again for the same person.
        mutating func link(_ key: String) async throws {
            world.clock.advance(by: 1)
            try await device.identify(key)
            linked()
        }

        /// Links again for the same person, and the answer is lost.
        func linkUnheard(_ key: String) async throws {
            world.clock.advance(by: 1)
            var other = device
            try await other.identify(key)
        }

        private mutating func linked() {
            tags.linked(device.contactReference ?? "", owner: owner)
        }

        /// The tag of the newest push that it got.
        private func newestTag() throws -> String? {
            let request = try #require(world.transport.requests(for: "token1").last)
            let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
            return (body?["belfry"] as? [String: Any])?["to"] as? String
        }

        /// Sends a push of a campaign and a silent push; returns whether the device takes each for its person's.
        func takesPushes() async throws -> [Bool] {
            _ = try await world.launch()
            try await world.sendToTheEnd()
            var found = [try newestTag()]
            let sent = world.transport.requests(for: "token1").count
            _ = try await world.publish("News \(sent)")
            try await world.wakeDevices(until: world.clock.now.addingTimeInterval(86_400))
            try #require(world.transport.requests(for: "token1").count > sent)
            found.append(try newestTag())
            #expect(found.allSatisfy { $0 != nil })
            return found.map { !tags.isFormer($0, reference: device.contactReference) }
        }
    }

    private static func merge(_ world: ServiceWorld, _ key: String, into other: String) async throws {
        _ = try await world.contacts.merge(key, into: other, field: "into", app: world.app)
    }

    @Test("ADM-5, ID-4: a device takes every push after a merge into a contact that it knows as a former user's")
    func former() async throws {
        let world = try await ServiceWorld()
        var phone = try await Phone(world)
        #expect(try await phone.takesPushes() == [true, true])
        try await Self.merge(world, "ann", into: "bob")
        #expect(try await phone.takesPushes() == [true, true])
        // A further merge: it still knows the tag of its own link.
        _ = try await ServiceDevice.registered(world, 2, key: "zoe")
        try await Self.merge(world, "bob", into: "zoe")
        #expect(try await phone.takesPushes() == [true, true])
        // A link for the same person, by the former key.
        try await phone.link("ann")
        #expect(try await phone.takesPushes() == [true, true])
        // For the device the key that remains is another person.
        try await phone.logIn("zoe")
        #expect(try await phone.takesPushes() == [true, true])
    }

    @Test("ADM-5, ID-4: a link whose answer is lost tells a device nothing: it goes on with the tag that it knows")
    func unheard() async throws {
        let world = try await ServiceWorld()
        var phone = try await Phone(world)
        try await Self.merge(world, "ann", into: "bob")
        try await phone.linkUnheard("ann")
        #expect(try await phone.takesPushes() == [true, true])
        // A further merge before it is heard, into another person whom the device has known.
        _ = try await ServiceDevice.registered(world, 2, key: "zoe")
        try await Self.merge(world, "bob", into: "zoe")
        #expect(try await phone.takesPushes() == [true, true])
        try await phone.link("ann")
        #expect(try await phone.takesPushes() == [true, true])
    }

    @Test("ADM-5, ID-4: after a merge the person who logs in next gets pushes with their own tag")
    func next() async throws {
        let world = try await ServiceWorld()
        var phone = try await Phone(world)
        try await Self.merge(world, "ann", into: "bob")
        try await phone.logIn("cleo")
        #expect(try await phone.takesPushes() == [true, true])
        try await phone.logIn("bob")
        #expect(try await phone.takesPushes() == [true, true])
    }

    @Test("ADM-5, ID-4, ID-9: a contact key in a registration after a merge ends the former tag as well")
    func reparented() async throws {
        let world = try await ServiceWorld()
        var phone = try await Phone(world)
        try await Self.merge(world, "ann", into: "bob")
        try await phone.device.tell([:], key: "cleo")
        // The device sees a tag that it does not know, not the one of the person before.
        phone.tags.personChanged(owner: 9)
        phone.device.contactReference = nil
        #expect(try await phone.takesPushes() == [true, true])
    }
}
