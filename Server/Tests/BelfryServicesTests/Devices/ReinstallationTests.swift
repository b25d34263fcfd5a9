import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// A re-installed app takes its anonymous contact back, once it has shown that it gets what is pushed to its token.
struct ReinstallationTests {
    /// The nonce in the silent push that the device is owed; nil when it is owed none.
    func nonce(_ world: ServiceWorld) async throws -> String? {
        await world.silentPushSender().runUntilIdle()
        let bodies = world.transport.requests.map { String(decoding: $0.body, as: UTF8.self) }
        return bodies.compactMap { body in
            body.firstMatch(of: /"nonce":"([^"]*)"/).map { String($0.1) }
        }.last
    }

    /// An app that was used without a login, and is installed anew with the same push token.
    func reinstalled(
        _ world: ServiceWorld, key: String? = nil
    ) async throws -> (old: ServiceDevice, new: ServiceDevice) {
        for name in ["city", "age"] {
            try await world.apps.defineAttribute(name, type: .string, app: world.app)
        }
        var old = try await ServiceDevice.registered(world, 1, key: key, token: "token1")
        _ = try await old.register {
            $0.attributes = ["city": "Paris", "age": "31"]
            $0.tags = ["sports"]
        }
        try await world.process()
        try await old.track(.test("before", try EventName("purchase"), kind: .custom))
        world.clock.advance(by: 3_600)
        let new = try await ServiceDevice.started(world, 2)
        try await new.track(.test("start"), .test("session", .sessionStart))
        try await new.putToken("token1")
        return (old, new)
    }

    @Test("REG-23: who echoes the nonce takes the anonymous contact over, with its history")
    func takeover() async throws {
        let world = try await ServiceWorld()
        var (old, new) = try await reinstalled(world)
        let key = try #require(try await old.contactKey)
        let own = try #require(try await new.contactKey)
        let nonce = try #require(try await nonce(world))
        // Since the offer it has said something, and something happened.
        _ = try await new.register {
            $0.attributes = ["city": "Rome"]
            $0.tags = ["news"]
        }
        try await new.track(.test("between", try EventName("look"), kind: .custom))
        let former = new
        new.keep(try await world.links.takeBack(nonce, caller: new.caller()))
        #expect(try await new.contactKey == key)
        #expect(new.contactReference == old.contactReference || new.contactReference != former.contactReference)
        let contact = try await world.directory.contact(key, app: world.app)
        #expect(contact.contact.attributes == ["city": "Rome", "age": "31"] && !contact.contact.known)
        #expect(contact.tags == ["news", "sports"])
        // What was tracked under its first contact, and comes late, goes along.
        var late = try Event.test("late")
        late.contactReference = former.contactReference
        try await new.track(late)
        let owners = try await world.owners()
        #expect(Set(owners.keys) == ["before", "start", "session", "between", "late"])
        #expect(Set(owners.values) == [key])
        #expect(await errorCode { try await world.directory.contact(own, app: world.app) } == "notFound")
        // The former installation has ended.
        #expect(await errorCode { try await old.track(.test("old")) } == "contactTokenInvalid")
        // And all of it goes on to whoever logs in (ID-8).
        try await new.identify("anna")
        var latest = try Event.test("latest")
        latest.contactReference = former.contactReference
        try await new.track(latest)
        let everything = try await world.owners()
        #expect(everything.count == 6 && Set(everything.values) == ["anna"])
    }

    @Test("REG-23, ADM-5: what is taken over is as old as it was, so that a newer value wins in a merge")
    func times() async throws {
        let world = try await ServiceWorld()
        var (_, new) = try await reinstalled(world)
        let nonce = try #require(try await nonce(world))
        _ = try await new.register { $0.attributes = ["age": "32"] }
        try await world.process()
        world.clock.advance(by: 60)
        var anna = try await ServiceDevice.started(world, 3)
        try await anna.identify("anna")
        _ = try await anna.register {
            $0.contactKey = "anna"
            $0.attributes = ["city": "Oslo", "age": "33"]
        }
        try await world.process()
        world.clock.advance(by: 60)
        new.keep(try await world.links.takeBack(nonce, caller: new.caller()))
        try await new.identify("ann")
        let taken: [String: AttributeValue] = ["city": "Paris", "age": "32"]
        #expect(try await world.directory.contact("ann", app: world.app).contact.attributes == taken)
        _ = try await world.contacts.merge("ann", into: "anna", field: "into", app: world.app)
        let newest: [String: AttributeValue] = ["city": "Oslo", "age": "33"]
        #expect(try await world.directory.contact("anna", app: world.app).contact.attributes == newest)
    }

    @Test("REG-23, WIRE-25: a lost response is repeated; a replay after a login takes nothing")
    func repeated() async throws {
        let world = try await ServiceWorld()
        var (old, new) = try await reinstalled(world)
        let key = try await old.contactKey
        let nonce = try #require(try await nonce(world))
        var lost = new
        lost.keep(try await world.links.takeBack(nonce, caller: lost.caller()))
        new.keep(try await world.links.takeBack(nonce, caller: new.caller()))
        #expect(try await new.contactKey == key)
        try await new.track(.test("e1"))
        try await new.identify("anna")
        let caller = new.caller()
        #expect(await errorCode { try await world.links.takeBack(nonce, caller: caller) } == "nothingToTakeOver")
        #expect(try await new.contactKey == "anna")
    }

    @Test("REG-23: a nonce is one device's: the former installation, an impostor and a forged one take nothing")
    func others() async throws {
        let world = try await ServiceWorld()
        let (old, new) = try await reinstalled(world)
        let nonce = try #require(try await nonce(world))
        let key = try await new.contactKey
        let callers = [
            (old.caller(), nonce), (try ServiceDevice(world, 2).caller(), nonce),
            (new.caller(), String(nonce.reversed())),
            (new.caller(), ""),
        ]
        for (caller, nonce) in callers {
            let rejected = await errorCode { try await world.links.takeBack(nonce, caller: caller) }
            #expect(rejected == "nothingToTakeOver")
        }
        #expect(try await new.row.contact == world.directory.contact(try #require(key), app: world.app).contact.id)
        // After a day the push may still come, and counts no more.
        world.clock.advance(by: 86_400)
        var late = new
        try await late.refresh()
        let caller = late.caller()
        #expect(await errorCode { try await world.links.takeBack(nonce, caller: caller) } == "nothingToTakeOver")
    }

    @Test("REG-23: known contacts are never offered, nor anything to who has a history, a login, a proof")
    func notOffered() async throws {
        let known = try await ServiceWorld()
        _ = try await reinstalled(known, key: "anna")
        #expect(try await nonce(known) == nil)

        let history = try await ServiceWorld()
        _ = try await ServiceDevice.registered(history, 1, token: "token1")
        let active = try await ServiceDevice.started(history, 2)
        try await active.track(.test("e1", try EventName("purchase"), kind: .custom))
        try await active.putToken("token1")
        #expect(try await nonce(history) == nil)

        let login = try await ServiceWorld()
        _ = try await ServiceDevice.registered(login, 1, token: "token1")
        var person = try await ServiceDevice.started(login, 2)
        try await person.identify("anna")
        try await person.linkAnonymously()
        try await person.putToken("token1")
        #expect(try await nonce(login) == nil)

        let verified = try await ServiceWorld()
        _ = try await ServiceDevice.registered(verified, 1, token: "token1")
        let device = try await ServiceDevice.started(verified, 2)
        var caller = device.caller()
        caller.app.settings.identity = .verified
        let token = try verified.clients.pushToken("token1", provider: .apns, environment: .production)
        _ = try await verified.clients.putPushToken(token, caller: verified.authentication.authenticate(caller))
        #expect(try await nonce(verified) == nil)
    }

    @Test("REG-23: a snapshot that brings the token is offered it as well; a login before the echo ends it")
    func bySnapshot() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, token: "token1")
        world.clock.advance(by: 60)
        var new = try await ServiceDevice.started(world, 2)
        _ = try await new.register { $0.pushToken = "token1" }
        try await world.process()
        let nonce = try #require(try await nonce(world))
        _ = try await new.register { $0.contactKey = "anna" }
        let caller = new.caller()
        #expect(await errorCode { try await world.links.takeBack(nonce, caller: caller) } == "nothingToTakeOver")
        try await world.process()
        #expect(try await new.contactKey == "anna")
    }

    @Test("PUSH-7, REG-27: a token that goes from installation to installation brings no more silent pushes than one")
    func budgetOfToken() async throws {
        let world = try await ServiceWorld()
        _ = try await reinstalled(world)
        _ = try #require(try await nonce(world))
        let first = world.clock.now
        #expect(world.transport.requests.count == 1)
        for number in 3...6 {
            try await ServiceDevice.started(world, number).putToken("token1")
            await world.silentPushSender().runUntilIdle()
        }
        try await world.wakeDevices(until: first.addingTimeInterval(1_199))
        #expect(world.transport.requests.count == 1)
        // Then the one that has it gets its nonce, and the others nothing.
        try await world.wakeDevices(until: first.addingTimeInterval(1_200))
        #expect(world.transport.requests.count == 2)
        let last = try #require(world.transport.requests.last)
        #expect(String(decoding: last.body, as: UTF8.self).contains(#""nonce""#))
        try await world.wakeDevices(until: first.addingTimeInterval(7_200))
        #expect(world.transport.requests.count == 2)
    }
}
