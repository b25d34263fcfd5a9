import BelfryAPI
import BelfryModel
import Testing
import V3Client

@Suite("A v3 client of a person who was erased")
struct V3ErasureTests {
    private static let events = "POST /v4/apps/shop/client/events"
    private static let refresh = "POST /v3/apps/shop/client/contact-token"
    private static let anonymous = "POST /v3/apps/shop/client/contact?anonymous=true"

    private static func erase(_ key: String, by admin: AdminCaller) async throws {
        _ = try await admin.send(
            .POST, admin.path("contacts/\(key)/erase"), String?.none, as: ContactErasureResponse.self
        )
    }

    @Test(
        "REG-36, WIRE-29: the client hears of the erasure with its next call, and begins anew with the logout",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func logout(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) { $0.isOnVendorHost = true }
            await device.start()
            await device.setPushToken(device.pushToken)
            await device.setContact("user-4711")
            await device.track("before")
            try await Self.erase("user-4711", by: admin)

            // The person goes on using the app.
            let first = await device.calls { await $0.track("late") }
            #expect(first.map(\.line) == [Self.events] && first.map(\.status) == [410])
            let next = await device.calls { await $0.track("later") }
            #expect(next.map(\.line) == [Self.events, Self.refresh] && next.map(\.status) == [401, 400])

            let calls = await device.calls {
                await $0.clearContact()
                await $0.setPushToken($0.pushToken)
            }
            let link = try #require(calls.first { $0.line == Self.anonymous })
            #expect(link.status == 200)
            #expect(calls.last?.status == 204)
            let stored = try await admin.device(device.id)
            #expect(stored.contactKey?.hasPrefix("anonymous:") == true)
            #expect(stored.push.eligible)
            let names = try await admin.events(of: device.id).map(\.name)
            #expect(!names.contains("before") && !names.contains("late") && !names.contains("later"))
            #expect(await device.track("anew") == .accepted(204))
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "REG-36, WIRE-29: an installation anew begins at once, also on iOS, where it has the erased one's id",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func reinstalled(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server)
            await device.start()
            await device.setContact("user-4711")
            try await Self.erase("user-4711", by: admin)
            await device.reinstall()
            let calls = await device.calls {
                await $0.start()
                await $0.setContact("user-4711")
                await $0.setPushToken($0.pushToken)
            }
            #expect(calls.allSatisfy { ($0.status ?? 0) / 100 == 2 }, "\(calls.map(\.status))")
            // Android has a new id by then, unless it is one of the old ones.
            let id = await device.store.clientID
            #expect((id == device.id) == (flavour == .ios))
            let stored = try await admin.device(id)
            #expect(stored.contactKey == "user-4711" && stored.push.eligible)
            #expect(await device.complaints == [])
        }
    }
}
