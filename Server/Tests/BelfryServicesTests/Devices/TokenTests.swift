import BelfryModel
import BelfryServices
import Foundation
import Testing

struct TokenTests {
    @Test("ID-6: an expired contact token is refreshed, and the caller continues")
    func refresh() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let key = try await device.contactKey
        world.clock.advance(by: ContactToken.lifetime)
        #expect(await errorCode { try await device.track(.test("e1")) } == "contactTokenExpired")
        try await device.refresh()
        try await device.track(.test("e1"))
        #expect(try await device.contactKey == key)
        // A refresh token serves again and again, and does not expire.
        world.clock.advance(by: 365 * 86_400)
        try await device.refresh()
        try await device.track(.test("e2"))
    }

    @Test("WIRE-4: an unknown refresh token, or another device's, is a 1101")
    func unknownRefreshToken() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let other = try await ServiceDevice.started(world, 2)
        for token in ["", "unknown", other.refreshToken] {
            device.refreshToken = token
            let code = await errorCode { try await device.refresh() }
            #expect(code == "registerAnew")
        }
        // Registering again keeps the contact of a caller with valid credentials.
        let key = try await device.contactKey
        try await device.linkAnonymously()
        #expect(try await device.contactKey == key)
        try await device.refresh()
    }

    @Test("ID-6, WIRE-20: a lost response locks nobody out: the old pair works until the new one is used")
    func lostAnswer() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.track(.test("e1"))
        var informed = device
        // These links are answered, and the responses are lost.
        for _ in 0..<3 {
            var lost = device
            try await lost.identify("anna")
            informed = lost
        }
        try await device.track(.test("e2"))
        try await device.refresh()
        try await device.track(.test("e3"))
        // The last response arrives after all: now the old pair has ended.
        try await informed.track(.test("e4"))
        #expect(await errorCode { try await device.track(.test("e5")) } == "contactTokenInvalid")
        let code = await errorCode { try await device.refresh() }
        #expect(code == "registerAnew")
        try await informed.refresh()
    }

    @Test("WIRE-20: a contact token is valid only for its device and its app, unchanged")
    func foreignTokens() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        var otherDevice = try await ServiceDevice.started(world, 2)
        otherDevice.contactToken = device.contactToken
        #expect(await errorCode { try otherDevice.authenticated() } == "contactTokenInvalid")

        let other = try await world.apps.create(code: "other", name: "Other").app
        var elsewhere = device.caller()
        elsewhere.app = other
        #expect(
            await errorCode { try world.authentication.authenticate(elsewhere) }
                == "contactTokenInvalid"
        )
        var caller = device.caller()
        caller.token = nil
        #expect(
            await errorCode { try world.authentication.authenticate(caller) } == "contactTokenMissing")
    }

    @Test("WIRE-20: no part of a contact token can be changed", arguments: 0..<3)
    func forgedTokens(part: Int) async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        let parts = try #require(device.contactToken).split(separator: ".").map(String.init)
        for (index, character) in parts[part].enumerated() {
            var forged = Array(parts[part])
            forged[index] = character == "A" ? "B" : "A"
            var token = parts
            token[part] = String(forged)
            var caller = device.caller()
            caller.token = token.joined(separator: ".")
            let code = await errorCode { try world.authentication.authenticate(caller) }
            #expect(code == "contactTokenInvalid")
        }
    }

    @Test("WIRE-20: a token with another server's signature, or another algorithm, is invalid")
    func otherKeys() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        let row = try await world.profile(device).device
        let token = ContactToken(
            app: "shop", clientID: device.client.rawValue, device: row.id, generation: 1, epoch: 0,
            expiresAt: world.clock.now.addingTimeInterval(60)
        )
        let good = token.signed(with: world.keys)
        let foreign = token.signed(with: TestKeys.server("another secret of a server, long enough"))
        let claims = good.split(separator: ".")[1]
        let none = "eyJhbGciOiJub25lIn0.\(claims)."
        for (text, code) in [(good, nil), (foreign, "contactTokenInvalid"), (none, "contactTokenInvalid")]
            as [(String, String?)]
        {
            var caller = device.caller()
            caller.token = text
            #expect(await errorCode { try world.authentication.authenticate(caller) } == code)
        }
    }

    @Test("ID-7: an event belongs to the contact under which it was tracked, for that device only")
    func owners() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        let anna = device.contactReference
        let annaID = try await world.profile(device).contact?.id
        let other = try await ServiceDevice.started(world, 2)
        try await device.identify("bert")
        let bertID = try await world.profile(device).contact?.id
        var events = try (0..<4).map { try Event.test("e\($0)") }
        events[0].contactReference = anna
        events[1].contactReference = device.contactReference
        events[2].contactReference = other.contactReference
        events[3].contactReference = "forged"
        try await device.track(events[0], events[1], events[2], events[3])
        let owners = try await world.database.read { connection in
            try connection.query("SELECT contact_id FROM events ORDER BY event_id", []) { $0.optionalInteger(0) }
        }
        // Whom the others meant nobody knows: it was not bert.
        #expect(owners == [annaID, bertID, nil, nil])
    }
}
