import Testing
import V3Client

@Suite("People of a v3 client")
struct V3ContactTests {
    private static let events = "POST /v4/apps/shop/client/events"
    private static let contact = "POST /v3/apps/shop/client/contact"
    private static let anonymous = "POST /v3/apps/shop/client/contact?anonymous=true"

    @Test(
        "WIRE-2, WIRE-25, ID-1: a login links the contact; repeated, it changes nothing", .timeLimit(.minutes(10)),
        arguments: V3Flavour.allCases
    )
    func login(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) {
                $0.merchantID = "m1"
                $0.isOnVendorHost = true
            }
            await device.start()
            await device.setPushToken(device.pushToken)
            let calls = await device.calls { await $0.setContact("user-4711") }
            #expect(calls.map(\.line) == [Self.contact, Self.events])
            #expect(calls.map(\.status) == [200, 204])
            try #require(calls.count == 2)
            // The anonymous token is not shown; the new one is used from then on.
            #expect(calls[0].request.header("X-Contact-Token") == nil)
            #expect(calls[1].request.header("X-Contact-Token") == calls[0].answer?.json?["contactToken"]?.string)
            #expect(calls[1].events.last == "session:start")
            #expect(try await admin.device(device.id).contactKey == "user-4711")
            #expect(try await admin.device(device.id).push.eligible)

            let repeated = await device.calls { await $0.setContact("user-4711") }
            #expect(repeated.isEmpty)
            // After a start Android has forgotten by which field, and links again.
            let next = await device.calls {
                await $0.start()
                await $0.setContact("user-4711")
            }
            let again = flavour == .ios ? [] : [Self.contact, Self.events]
            #expect(next.map(\.line) == [Self.events] + again)
            #expect(next.allSatisfy { ($0.status ?? 0) / 100 == 2 })
            #expect(try await admin.device(device.id).contactKey == "user-4711")
            #expect(try await admin.device(device.id).push.eligible)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-20, WIRE-25: after a lost response to a login the client repeats it, and its tokens work",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func lostLogin(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let wire = LosingWire(try server.v3Wire())
            let device = try V3Device.installed(flavour, at: server, over: wire) { $0.isOnVendorHost = true }
            await device.start()
            await wire.lose(1)
            let calls = await device.calls {
                await $0.setContact("user-4711")
                await $0.track("viewed", ["page": "1"])
            }
            #expect(calls.map(\.line) == [Self.contact, Self.contact, Self.events])
            #expect(calls.map(\.status) == [nil, 200, 204])
            #expect(try await admin.device(device.id).contactKey == "user-4711")
            #expect(try await admin.events(of: device.id).filter { $0.name == "viewed" }.count == 1)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-3, ID-1, ID-4: a logout links a fresh anonymous contact, and the device can still be reached",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func logout(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) { $0.isOnVendorHost = true }
            await device.start()
            await device.setPushToken(device.pushToken)
            let first = try await admin.device(device.id).contactKey
            await device.setContact("user-4711")

            let calls = await device.calls { await $0.clearContact() }
            // Android ends the session before it goes.
            let sessionEnd = flavour == .ios ? [] : [Self.events]
            #expect(calls.map(\.line) == sessionEnd + [Self.anonymous, Self.events])
            #expect(calls.allSatisfy { ($0.status ?? 0) / 100 == 2 })
            let unlink = try #require(calls.first { $0.line == Self.anonymous })
            // iOS still shows the token of the one who left; Android has wiped it.
            #expect((unlink.request.header("X-Contact-Token") != nil) == (flavour == .ios))
            let second = try await admin.device(device.id).contactKey
            #expect(second?.hasPrefix("anonymous:") == true)
            #expect(second != first)

            let again = await device.calls { await $0.clearContact() }
            #expect(again.isEmpty)
            let token = await device.calls { await $0.setPushToken($0.pushToken) }
            #expect(token.map(\.line) == ["PUT /v3/apps/shop/client/push-token"])
            #expect(token.map(\.status) == [204])
            #expect(try await admin.device(device.id).push.eligible)

            await device.setContact("user-4712")
            #expect(try await admin.device(device.id).contactKey == "user-4712")
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-3, WIRE-20: a logout succeeds even with an invalid token and state", .timeLimit(.minutes(10)),
        arguments: [nil, "forged"] as [String?]
    )
    func logoutWithRottenToken(state: String?) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(.ios, at: server) { $0.isOnVendorHost = true }
            await device.start()
            await device.setContact("user-4711")
            await device.tamper { store, _ in
                store.contactToken = "rotten"
                store.clientState = state
            }
            let calls = await device.calls { await $0.clearContact() }
            #expect(calls.map(\.line) == [Self.anonymous, Self.events])
            #expect(calls.map(\.status) == [200, 204])
            #expect(calls.first?.request.header("X-Contact-Token") == "rotten")
            #expect(try await admin.device(device.id).contactKey?.hasPrefix("anonymous:") == true)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-2, ID-3: a refused OpenID token is refused for good, and starts no refresh",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func rejectedOpenID(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server)
            await device.start()
            let before = try await admin.device(device.id).contactKey
            let calls = await device.calls { await $0.setAuthenticatedContact(openIDToken: "eyJhbGciOiJub25lIn0.e30.") }
            #expect(calls.first?.line == Self.contact)
            #expect(calls.first?.status == 403)
            #expect(calls.dropFirst().allSatisfy { $0.line == Self.events && $0.status == 204 })
            #expect(try await admin.device(device.id).contactKey == before)
            // The client continues as it was.
            #expect(await device.track("viewed") == .accepted(204))
            #expect(await device.complaints == [])
        }
    }
}
