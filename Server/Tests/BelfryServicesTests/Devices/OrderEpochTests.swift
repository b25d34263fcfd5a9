import BelfryModel
@testable import BelfryServices
import Foundation
import Testing

/// A clock that was set back, calls that arrive late, and answers that were lost: orders count within an epoch, which a
/// link begins.
struct OrderEpochTests {
    private let start = ServiceWorld.epoch.milliseconds

    @Test("ID-4, ID-10: with the clock set back a logout takes effect at once, with nothing of the person who left")
    func logout() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna", order: start)
        try await device.track(.test("of-anna"))
        let anna = device
        try await device.linkAnonymously(order: start - 86_400_000)
        #expect(try await world.profile(device).contact?.known == false)
        #expect(device.contactReference != anna.contactReference)
        try await device.track(.test("of-nobody"))
        let owners = try await world.owners()
        #expect(owners["of-anna"] == "anna" && owners["of-nobody"] != "anna")
        // And the next login, by the same clock.
        try await device.identify("bert", order: start - 86_399_000)
        #expect(try await device.contactKey == "bert")
    }

    @Test("ID-4, ID-10: so it is for a client that shows state or token alone", arguments: [true, false])
    func proofs(byState: Bool) async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna", order: start)
        if byState { device.contactToken = nil } else { device.state = nil }
        try await device.linkAnonymously(order: 0)
        #expect(try await world.profile(device).contact?.known == false)
    }

    @Test("ID-10: a replayed call of an ended epoch never unlinks, and gets nobody's tokens")
    func replay() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna", order: start + 1)
        let beforeLogout = device
        try await device.linkAnonymously(order: start + 2)
        let beforeLogin = device
        try await device.identify("bert", order: start + 3)
        try await device.track(.test("e1"))
        // The logout once more, as it was sent, and the login of the person who left.
        var logout = beforeLogout
        try await logout.linkAnonymously(order: start + 2)
        var login = beforeLogin
        login.state = beforeLogout.state
        login.contactToken = beforeLogout.contactToken
        try await login.identify("anna", order: start + 1)
        #expect(try await device.contactKey == "bert")
        for replayed in [logout, login] {
            #expect(await errorCode { try await replayed.track(.test("replayed")) } == "contactTokenInvalid")
        }
        try await device.track(.test("e2"))
        #expect(try await world.owners() == ["e1": "bert", "e2": "bert"])
    }

    /// Anna was linked and has left; bert is, and has used his link.
    private func left(_ world: ServiceWorld) async throws -> (former: ServiceDevice, present: ServiceDevice) {
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna", order: start + 1)
        try await device.track(.test("e1"))
        var former = device
        former.contactToken = nil
        try await device.linkAnonymously(order: start + 2)
        try await device.identify("bert", order: start + 3)
        try await device.track(.test("e2"))
        return (former, device)
    }

    private func sendProperties(
        _ device: inout ServiceDevice, _ system: SystemProperties = SystemProperties(appVersion: "9"), order: Int64
    ) async throws {
        device.state = try await device.world.clients.putProperties(
            system, osPushEnabled: nil, caller: device.caller(order: order)
        ).clientState
    }

    @Test(
        """
        SEC-10, ID-10: the state of a person who has left gets nobody in again: not by the state in an answer, not by two \
        calls, and it changes nothing
        """
    )
    func hasLeft() async throws {
        let world = try await ServiceWorld()
        var (former, device) = try await left(world)
        let before = try await device.row
        for number in Int64(4)...6 {
            try await sendProperties(&former, order: start + number)
            try await former.linkAnonymously(order: start + number + 10)
            former.contactToken = nil
        }
        #expect(try await device.row == before)
        try await device.track(.test("e3"))
        #expect(try await world.owners() == ["e1": "anna", "e2": "bert", "e3": "bert"])
    }

    @Test("SEC-10: nor between a later link and its first use, nor after it", arguments: [false, true])
    func hasLeftBefore(linksInBetween: Bool) async throws {
        let world = try await ServiceWorld()
        var (former, device) = try await left(world)
        try await device.identify("cora", order: start + 4)
        var before = try await device.row
        // Nobody has used cora's link yet.
        if linksInBetween {
            try await former.linkAnonymously(order: start)
            former.contactToken = nil
        } else {
            try await sendProperties(&former, order: start + 20)
        }
        #expect(try await device.row == before)
        try await device.track(.test("e3"))
        before = try await device.row
        try await former.linkAnonymously(order: start + 30)
        #expect(try await device.row == before)
        try await device.track(.test("e4"))
        #expect(try await world.owners() == ["e1": "anna", "e2": "bert", "e3": "cora", "e4": "cora"])
    }

    @Test("SEC-10, ID-10: a state that was lifted before the first use of a link opens nothing after it")
    func lifted() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna", order: start + 1)
        try await device.track(.test("e1"))
        var former = device
        former.contactToken = nil
        try await device.identify("bert", order: start + 3)
        // The answer may have been lost, so this one is of the present epoch.
        try await sendProperties(&former, order: start + 4)
        try await device.track(.test("e2"))
        let before = try await device.row
        try await former.linkAnonymously(order: start + 20)
        #expect(try await device.row == before)
        try await device.track(.test("e3"))
        #expect(try await world.owners() == ["e1": "anna", "e2": "bert", "e3": "bert"])
    }

    @Test("WIRE-20, SEC-10: who has lost its newer states begins anew, and keeps the properties that it then sends")
    func beginsAnew() async throws {
        let world = try await ServiceWorld()
        var (restored, _) = try await left(world)
        try await sendProperties(&restored, SystemProperties(platform: "android"), order: start + 10)
        try await restored.identify("anna", order: start + 11)
        try await restored.track(.test("e3"))
        #expect(try await restored.row.system.platform == "android")
        #expect(try await world.owners() == ["e1": "anna", "e2": "bert", "e3": "anna"])
    }

    @Test("WIRE-20, ID-10: a lost response costs nothing: the same call gets tokens, and a later one counts")
    func lostAnswers() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        try await device.track(.test("e1"))
        var lost = device
        try await lost.identify("anna", order: start + 1)
        var again = device
        try await again.identify("anna", order: start + 1)
        try await again.track(.test("e2"))
        #expect(try await world.owners() == ["e1": "anna", "e2": "anna"])
        // Lost again, and then the person changes their mind.
        lost = again
        try await lost.linkAnonymously(order: start + 2)
        try await again.identify("bert", order: start + 3)
        #expect(try await again.contactKey == "bert")
        try await again.track(.test("e3"))
        // What was sent before, and took its time, comes too late.
        var late = device
        try await late.linkAnonymously(order: start + 2)
        #expect(try await again.contactKey == "bert")
    }

    @Test("ID-10: a logout after a lost response, by a clock that was set back, is carried out by registering anew")
    func lostAndSetBack() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        var lost = device
        try await lost.identify("anna", order: start + 1)
        // Nobody can tell it from an older call: no tokens, and a state by which the next one counts.
        try await device.linkAnonymously(order: start - 86_400_000)
        #expect(await errorCode { try await device.track(.test("e1")) } == "contactTokenInvalid")
        try await device.linkAnonymously(order: start - 86_399_000)
        #expect(try await world.profile(device).contact?.known == false)
        try await device.track(.test("e2"))
    }

    @Test("WIRE-21, ID-10: push tokens and properties, too, are compared within an epoch")
    func otherProperties() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.putToken("token1", order: start)
        func put(_ version: String, _ order: Int64) async throws {
            _ = try await world.clients.putProperties(
                SystemProperties(appVersion: version), osPushEnabled: nil, caller: device.caller(order: order)
            )
        }
        try await put("1", start)
        try await put("0", start - 1)
        try await device.putToken("token0", order: start - 1)
        #expect(try await world.profile(device).device.system.appVersion == "1")
        #expect(try await world.profile(device).device.pushToken?.value == "token1")
        try await device.identify("anna", order: start)
        try await put("2", start - 86_400_000)
        try await device.putToken("token2", order: start - 86_400_000)
        let row = try await world.profile(device).device
        #expect(row.system.appVersion == "2" && row.pushToken?.value == "token2")
        // A registration that was sent before the login does not change them back.
        _ = try await device.register(order: start - 86_400_001) { $0.pushToken = "token0" }
        try await world.process()
        #expect(try await world.profile(device).device.pushToken?.value == "token2")
    }

    @Test("ID-10, WIRE-20: states from before there were epochs are compared by their order")
    func formerStates() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna", order: start)
        device.contactToken = nil
        let profile = try await world.profile(device)
        let former = ClientStateHeader(
            device: profile.device.id, contact: try #require(profile.contact).id, epoch: 0, generation: 0
        )
        device.state = former.signed(for: device.client.canonical, with: world.keys)
        var late = device
        try await late.linkAnonymously(order: start - 1)
        #expect(try await device.contactKey == "anna")
        try await device.linkAnonymously(order: start)
        #expect(try await world.profile(device).contact?.known == false)
    }

    @Test("ID-4, ID-8: each logged-out stretch has a reference of its own, and merges at the next login")
    func stretches() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        var references: Set<String?> = []
        for (index, key) in ["anna", "bert", "anna"].enumerated() {
            world.clock.advance(by: 1)
            _ = try await device.register { $0.attributes = ["city": .string("city \(index)")] }
            try await world.process()
            references.insert(device.contactReference)
            try await device.track(.test("out\(index)"))
            try await device.identify(key)
            references.insert(device.contactReference)
            try await device.track(.test("in\(index)"))
            try await device.linkAnonymously()
        }
        // Three stretches, and two people.
        #expect(references.count == 5)
        let owners = try await world.owners()
        #expect(owners["out0"] == "anna" && owners["out1"] == "bert" && owners["out2"] == "anna")
        #expect(owners["in0"] == "anna" && owners["in1"] == "bert" && owners["in2"] == "anna")
        let attributes = try await world.directory.contact("anna", app: world.app).contact.attributes
        #expect(attributes == ["city": "city 0"], "the known contact's own value wins")
    }
}
