import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct LinkTests {
    @Test("ID-1: a first start registers properties, links an anonymous contact and sends its first events")
    func firstStart() async throws {
        let world = try await ServiceWorld()
        var device = try ServiceDevice(world, 1)
        let system = SystemProperties(timeZone: "Europe/Paris", platform: "ios", appVersion: "1.0")
        device.state = try await world.clients
            .putProperties(system, osPushEnabled: nil, caller: device.caller()).clientState
        try await device.linkAnonymously()
        try await device.track(.test("e1", .appStart), .test("e2", .sessionStart))
        let profile = try await world.profile(device)
        #expect(profile.device.system == system)
        #expect(profile.contact?.known == false)
        let events = try await world.directory.events(of: device.client.rawValue, app: world.app, cursor: nil, limit: 9)
        #expect(Set(events.events.map(\.name)) == ["app:start", "session:start"])
    }

    @Test("ID-3: identify replaces both tokens; repeated with the same value it changes nothing")
    func identify() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let anonymous = device
        try await device.identify("anna")
        #expect(device.contactToken != anonymous.contactToken && device.refreshToken != anonymous.refreshToken)
        let first = try await world.profile(device)
        #expect(first.contact?.key == "anna" && first.contact?.known == true)
        let reference = device.contactReference
        for _ in 0..<3 {
            world.clock.advance(by: 3_600)
            try await device.identify("anna")
            let profile = try await world.profile(device)
            #expect(profile.contact == first.contact)
            #expect(device.contactReference == reference)
        }
        #expect(try await world.directory.contact("anna", app: world.app).devices.count == 1)
    }

    @Test("ID-3, WIRE-2: a field that the app's settings do not list does not link")
    func contactFields() async throws {
        let world = try await ServiceWorld()
        var settings = AppSettings()
        settings.contactFields = ["3"]
        var device = try ServiceDevice(world, 1)
        var caller = device.caller()
        caller.app.settings = settings
        let key = try ContactKey("anna")
        for field in [nil, "4", ""] {
            let code = await errorCode {
                try await world.links.identify(key, field: field, caller: caller)
            }
            #expect(code == "contactFieldNotAllowed")
        }
        device.keep(try await world.links.identify(key, field: "3", caller: caller))
        #expect(try await device.contactKey == "anna")
    }

    @Test("WIRE-3: an anonymous link succeeds with any invalid token")
    func rottenTokens() async throws {
        let world = try await ServiceWorld()
        let other = try await ServiceDevice.started(world, 9)
        for (number, token) in ["", "rotten", "a.b.c", other.contactToken ?? "", String(repeating: "x", count: 5_000)]
            .enumerated()
        {
            var device = try ServiceDevice(world, number + 1)
            device.contactToken = token
            device.state = token
            try await device.linkAnonymously()
            try await device.track(.test("e1"))
            #expect(try await device.contactKey != other.contactKey)
        }
    }

    @Test("WIRE-3: with anonymous contacts off, only a known contact is linked")
    func anonymousOff() async throws {
        let world = try await ServiceWorld()
        var device = try ServiceDevice(world, 1)
        var caller = device.caller()
        caller.app.settings.anonymousContacts = false
        let code = await errorCode { try await world.links.linkAnonymously(caller) }
        #expect(code == "anonymousContactsDisabled")
        device.keep(try await world.links.identify(try ContactKey("anna"), field: nil, caller: caller))
        #expect(try await device.contactKey == "anna")
    }

    @Test("WIRE-3: a device that proves its identity keeps its anonymous contact, even with an expired token")
    func sameAnonymousContact() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let key = try await device.contactKey
        try await device.linkAnonymously()
        #expect(try await device.contactKey == key)
        device.state = nil
        world.clock.advance(by: 9 * 3_600)
        try await device.linkAnonymously()
        #expect(try await device.contactKey == key)
    }

    @Test("ID-4: after a login, an anonymous link is a fresh contact")
    func logout() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let anonymous = try await device.contactKey
        try await device.identify("anna")
        try await device.linkAnonymously()
        let profile = try await world.profile(device)
        #expect(profile.contact?.known == false)
        #expect(profile.contact?.key != anonymous)
    }

    @Test("WIRE-20: a caller with a device's id but neither its state nor its token never gets its contact")
    func knownID() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "anna")
        let other = try await ServiceDevice.started(world, 2)
        world.clock.advance(by: 60)
        let thefts: [@Sendable (inout ServiceDevice) -> Void] = [
            { _ in },
            { $0.state = "forged" },
            { $0.state = other.state },
            { $0.contactToken = other.contactToken },
            { $0.state = String((device.state ?? "").reversed()) },
        ]
        for theft in thefts {
            for order in [nil, 0, ServiceWorld.epoch.milliseconds - 1] {
                var thief = try ServiceDevice(world, 1)
                theft(&thief)
                try await thief.linkAnonymously(order: order)
                #expect(thief.contactReference != device.contactReference)
                let isAnna = try await thief.contactKey == "anna"
                let code = await errorCode { try await thief.track(.test("stolen")) }
                #expect(!isAnna || code == "contactTokenInvalid", "it either is another contact's device or locked out")
                var restored = device
                restored.state = nil
                try await restored.identify("anna")
            }
        }
    }

    @Test("WIRE-20: a state proves its device and its contact, not a later one")
    func staleState() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let stale = device.state
        try await device.identify("anna")
        world.clock.advance(by: 1)
        var bearer = try ServiceDevice(world, 1)
        bearer.state = stale
        try await bearer.linkAnonymously()
        #expect(try await bearer.contactKey?.hasPrefix("anonymous:") == true)
    }
}
