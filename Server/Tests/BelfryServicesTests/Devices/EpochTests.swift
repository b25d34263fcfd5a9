import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What was given to an installation ends with it.
@Suite("Epochs of a device")
struct EpochTests {
    /// A device that was anna's, revoked, and linked to her again; and what somebody keeps of it from before.
    private static func linkedAgain(_ world: ServiceWorld) async throws -> (owner: ServiceDevice, thief: ServiceDevice)
    {
        var owner = try await ServiceDevice.started(world, 1)
        try await owner.identify("anna")
        var thief = owner
        thief.contactToken = nil
        try await world.links.revoke(owner.client.rawValue, app: world.app)
        world.clock.advance(by: 60)
        owner.state = nil
        try await owner.identify("anna")
        return (owner, thief)
    }

    @Test("SEC-10: a state from before a revocation opens nothing of the owner's once they have linked again")
    func stateBeforeRevocation() async throws {
        let world = try await ServiceWorld()
        let (owner, stolen) = try await Self.linkedAgain(world)
        for order in [Int64(0), 1] {
            var thief = stolen
            try await thief.linkAnonymously(order: order)
            #expect(thief.contactReference != stolen.contactReference)
            #expect(try await thief.row.id != owner.row.id, "it is another installation")
        }
        try await owner.track(.test("own"))
        #expect(try await world.owners() == ["own": "anna"])
    }

    @Test("SEC-2, SEC-10: the token in the response to an older call is invalid")
    func beforeAnyLink() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        var late = device
        try await device.identify("anna")
        try await device.track(.test("own"))
        try await late.linkAnonymously(order: 0)
        #expect(late.contactToken != nil)
        let caller = late.caller()
        let rejected = await errorCode { _ = try world.authentication.authenticate(caller) }
        #expect(rejected == "contactTokenInvalid")
        try await device.track(.test("own too"))
    }

    @Test("SEC-10: a state from before a revocation opts nobody out")
    func vouchesForNothing() async throws {
        let world = try await ServiceWorld()
        let (owner, stolen) = try await Self.linkedAgain(world)
        _ = try await world.clients.putProperties(
            SystemProperties(platform: "web"), osPushEnabled: false, caller: stolen.caller()
        )
        let device = try await world.profile(owner).device
        #expect(device.osPushEnabled == nil && device.system.platform == nil)
    }

    @Test("SEC-10, ID-7: references end with a revocation and are no other installation's; a logout ends none")
    func references() async throws {
        let world = try await ServiceWorld()
        let (owner, stolen) = try await Self.linkedAgain(world)
        func late(_ id: String, _ reference: String?) throws -> Event {
            var event = try Event.test(id)
            event.contactReference = reference
            return event
        }
        try await owner.track(late("before", stolen.contactReference), late("since", owner.contactReference))
        #expect(try await world.owners() == ["before": "nobody", "since": "anna"])
        var guest = owner
        try await guest.linkAnonymously()
        try await guest.track(late("queued", owner.contactReference))
        #expect(try await world.owners()["queued"] == "anna")
        // A client that knows only the id is another installation.
        world.clock.advance(by: 1)
        var impostor = try ServiceDevice(world, 1)
        try await impostor.linkAnonymously()
        try await impostor.track(late("by impostor", owner.contactReference))
        try await guest.identify("anna")
        try await guest.track(late("by owner", impostor.contactReference), late("own", owner.contactReference))
        let owners = try await world.owners()
        #expect(owners["by impostor"] == "nobody" && owners["by owner"] == "nobody" && owners["own"] == "anna")
    }

    @Test("SEC-10: links, logouts and new tokens keep an installation; a revocation ends all that have its id")
    func epochs() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        for key in ["anna", "bert"] {
            try await device.identify(key)
            try await device.refresh()
            try await device.linkAnonymously()
        }
        let first = try await device.row
        #expect(first.epoch == 0)
        var other = try ServiceDevice(world, 1)
        try await other.linkAnonymously()
        try await world.links.revoke(device.client.rawValue, app: world.app)
        #expect(await errorCode { try await device.track(.test("e1")) } == "contactTokenInvalid")
        #expect(await errorCode { try await other.track(.test("e1")) } == "contactTokenInvalid")
        try await device.linkAnonymously()
        let again = try await device.row
        #expect(again.id == first.id && again.epoch == 1)
        try await device.track(.test("e2"))
        // Each goes on in its own row.
        try await other.linkAnonymously()
        let others = try await other.row
        #expect(others.id != first.id && others.epoch == 1)
    }
}
