import Testing
import V3Client

@Suite("Tokens of a v3 client")
struct V3TokenTests {
    private static let events = "POST /v4/apps/shop/client/events"
    private static let refresh = "POST /v3/apps/shop/client/contact-token"

    enum Fault: CaseIterable {
        case missing
        case rotten
        case superseded
        case anothers
    }

    @Test(
        "WIRE-4, WIRE-22, ID-6: a 401 causes one refresh and the same call, and its event is stored once",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func renewal(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            for fault in Fault.allCases {
                let device = try V3Device.installed(flavour, at: server)
                await device.start()
                await device.setPushToken(device.pushToken)
                let former = await device.store.contactToken
                await device.setContact("user-4711")
                let bad = try await token(with: fault, former: former, server)
                await device.tamper { store, _ in store.contactToken = bad }
                try await expectRenewal(of: device, admin, "\(fault)")
            }
        }
    }

    private func expectRenewal(of device: V3Device, _ admin: AdminCaller, _ context: Comment) async throws {
        let calls = await device.calls { await $0.track("viewed", ["page": "1"]) }
        #expect(calls.map(\.line) == [Self.events, Self.refresh, Self.events], context)
        #expect(calls.map(\.status) == [401, 200, 204], context)
        try #require(calls.count == 3, context)
        #expect(calls[1].request.header("X-Contact-Token") == nil, context)
        let renewed = calls[1].answer?.json?["contactToken"]?.string
        #expect(renewed != nil && calls[2].request.header("X-Contact-Token") == renewed, context)
        #expect(calls[0].request.body == calls[2].request.body, context)
        #expect(try await admin.events(of: device.id).filter { $0.name == "viewed" }.count == 1, context)
        #expect(try await admin.device(device.id).contactKey == "user-4711", context)

        // It has forgotten its push token meanwhile, and says it again.
        let token = await device.calls { await $0.setPushToken($0.pushToken) }
        #expect(token.map(\.status) == [204], context)
        #expect(try await admin.device(device.id).push.eligible, context)
        #expect(await device.complaints == [], context)
    }

    private func token(with fault: Fault, former: String?, _ server: ServerProcess) async throws -> String? {
        switch fault {
        case .missing: return nil
        case .rotten: return "rotten"
        case .superseded: return former
        case .anothers:
            let other = try V3Device.installed(.ios, at: server)
            await other.start()
            return await other.store.contactToken
        }
    }

    @Test("WIRE-4: iOS sends its OpenID token with a refresh, which is no error", .timeLimit(.minutes(10)))
    func openIDInRefresh() async throws {
        try await withShop { server, _ in
            let device = try V3Device.installed(.ios, at: server)
            await device.start()
            await device.tamper { store, memory in
                store.contactToken = "rotten"
                memory.openIDToken = "eyJhbGciOiJub25lIn0.e30."
            }
            let calls = await device.calls { await $0.track("viewed") }
            #expect(calls.map(\.status) == [401, 200, 204])
            try #require(calls.count == 3)
            #expect(calls[1].request.json?["openIdToken"]?.string == "eyJhbGciOiJub25lIn0.e30.")
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-4, WIRE-22: a dead refresh token is refused with 1101, blocks nothing, and the next login recovers",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func deadRefreshToken(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) { $0.isOnVendorHost = true }
            await device.start()
            await device.tamper { store, _ in
                store.contactToken = "rotten"
                store.refreshToken = "dead"
            }
            let calls = await device.calls { device in
                let outcome = await device.track("lost")
                #expect(outcome == .dropped(418))
            }
            #expect(calls.map(\.line) == [Self.events, Self.refresh])
            #expect(calls.map(\.status) == [401, 400])
            #expect(calls.last?.answer?.json?["error"]?["code"]?.string == "1101")
            // A start alone does not help, but it says its properties and goes round in no circles.
            await device.change("osVersion", to: "99")
            let next = await device.calls { await $0.start() }
            #expect(next.map(\.status) == [204, 401, 400])
            #expect(await device.store.queue.count == 0)
            #expect(try await admin.device(device.id).system.osVersion == "99")

            #expect(await device.setContact("user-4711") == .accepted(200))
            #expect(await device.track("found") == .accepted(204))
            #expect(try await admin.device(device.id).contactKey == "user-4711")
            let names = Set(try await admin.events(of: device.id).map(\.name))
            #expect(names.contains("found") && !names.contains("lost"))
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-4, WIRE-23: Android calls without a refresh token too, and is refused; iOS does not",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func noRefreshToken(flavour: V3Flavour) async throws {
        try await withShop { server, _ in
            let device = try V3Device.installed(flavour, at: server)
            await device.start()
            await device.tamper { store, _ in
                store.contactToken = "rotten"
                store.refreshToken = nil
            }
            let calls = await device.calls { await $0.track("lost") }
            #expect(calls.map(\.status) == (flavour == .ios ? [401] : [401, 400]))
            #expect(await device.store.queue.count == 0)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-4, WIRE-5: the underscore spellings of the vendor's prose are served too", .timeLimit(.minutes(10)),
        arguments: V3Flavour.allCases
    )
    func underscores(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) { $0.usesUnderscores = true }
            await device.start()
            await device.tamper { store, _ in store.contactToken = "rotten" }
            let path = "/v3/apps/shop/client/push_token"
            let calls = await device.calls { await $0.setPushToken($0.pushToken) }
            #expect(calls.map(\.line) == ["PUT \(path)", "POST /v3/apps/shop/client/contact_token", "PUT \(path)"])
            #expect(calls.map(\.status) == [401, 200, 204])
            #expect(try await admin.device(device.id).push.eligible)
            let removal = await device.calls { await $0.clearPushToken() }
            #expect(removal.map(\.line) == ["DELETE \(path)"])
            #expect(removal.map(\.status) == [204])
            #expect(try await admin.device(device.id).pushToken == nil)
            #expect(await device.complaints == [])
        }
    }
}
