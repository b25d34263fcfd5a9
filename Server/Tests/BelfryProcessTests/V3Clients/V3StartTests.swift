import BelfryAPI
import BelfryModel
import Testing
import V3Client

@Suite("A v3 client starts")
struct V3StartTests {
    private static let events = "POST /v4/apps/shop/client/events"
    private static let properties = "POST /v3/apps/shop/client"
    private static let anonymous = "POST /v3/apps/shop/client/contact?anonymous=true"
    private static let pushToken = "PUT /v3/apps/shop/client/push-token"

    @Test(
        "WIRE-1, WIRE-3, WIRE-5, WIRE-6, WIRE-20: iOS, for the first time: properties, anonymous contact, session, token",
        .timeLimit(.minutes(10))
    )
    func firstOnIOS() async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(.ios, at: server)
            let calls = await device.calls {
                await $0.start()
                await $0.setPushToken($0.pushToken)
            }
            #expect(calls.map(\.line) == [Self.properties, Self.anonymous, Self.events, Self.pushToken])
            #expect(calls.map(\.status) == [204, 200, 204, 204])
            expectHeaders(calls)

            let stored = try await admin.device(device.id)
            #expect(stored.contactKey?.hasPrefix("anonymous:") == true)
            let system = SystemProperties(
                timeZone: "+0100", locale: "en", platform: "ios", osVersion: "17.4", appVersion: "1.2.3",
                sdkVersion: "3.10.2", deviceModel: "iPhone14,2"
            )
            #expect(stored.system == system)
            #expect(stored.pushProvider == .apns)
            #expect(stored.push.eligible)
            #expect(try await admin.events(of: device.id).map(\.name) == ["session:start"])

            let leaving = await device.calls { await $0.leave() }
            #expect(leaving.map(\.events) == [["session:end"]])
            let end = try await admin.events(of: device.id).first { $0.name == "session:end" }
            #expect(end?.attributes.keys.sorted() == ["duration"])
            #expect(await device.complaints == [])
        }
    }

    /// The state is said back from the first response on, the contact token once there is one, the order never falls.
    private func expectHeaders(_ calls: [V3Exchange]) {
        for (before, call) in zip(calls, calls.dropFirst()) {
            #expect(call.request.header("X-Client-State") == before.answer?.header("X-Client-State"), "\(call.line)")
        }
        let hasToken = calls.map { $0.request.header("X-Contact-Token") != nil }
        #expect(hasToken == [false, false, true, true])
        let orders = calls.compactMap { $0.request.header("X-Request-Order").flatMap { Int64($0) } }
        #expect(orders.count == calls.count)
        #expect(orders == orders.sorted())
        #expect(calls.first?.request.header("X-Client-State") == nil)
    }

    @Test(
        "WIRE-1, WIRE-3, WIRE-5: Android, for the first time: no session without a token, and the token is FCM's",
        .timeLimit(.minutes(10))
    )
    func firstOnAndroid() async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(.android, at: server)
            let calls = await device.calls {
                await $0.start()
                await $0.setPushToken($0.pushToken)
            }
            #expect(calls.map(\.line) == [Self.properties, Self.anonymous, Self.pushToken])
            #expect(calls.map(\.status) == [204, 200, 204])
            let stored = try await admin.device(device.id)
            #expect(stored.contactKey?.hasPrefix("anonymous:") == true)
            #expect(stored.system.platform == "android")
            #expect(stored.system.timeZone == "+0200")
            #expect(stored.pushProvider == .fcm)
            #expect(stored.push.eligible)
            #expect(try await admin.events(of: device.id).isEmpty)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-1, WIRE-5, WIRE-6, WIRE-25: the next start sends events, and nothing else changes on the server",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func next(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) { $0.isOnVendorHost = true }
            await device.start()
            await device.setPushToken(device.pushToken)
            let before = Profile(try await admin.device(device.id))

            let calls = await device.calls { await $0.start() }
            #expect(calls.map(\.line) == [Self.events])
            #expect(calls.map(\.status) == [204])
            #expect(calls.first?.events == ["app:start", "session:start"])
            // The push service gives the app its token again; iOS sends it again, Android knows it.
            let again = await device.calls { await $0.setPushToken($0.pushToken) }
            #expect(again.map(\.line) == (flavour == .ios ? [Self.pushToken] : []))
            #expect(again.allSatisfy { $0.status == 204 })
            let after = Profile(try await admin.device(device.id))
            #expect(after == before)

            // Another version of the app is said once.
            await device.change("applicationVersion", to: "1.3.0")
            let updated = await device.calls { await $0.start() }
            #expect(updated.map(\.line) == [Self.properties, Self.events])
            #expect(updated.map(\.status) == [204, 204])
            #expect(try await admin.device(device.id).system.appVersion == "1.3.0")
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-1, WIRE-25: an Android client that is not on its vendor's host sends its properties at each start",
        .timeLimit(.minutes(10))
    )
    func otherHost() async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(.android, at: server)
            await device.start()
            await device.setPushToken(device.pushToken)
            let before = Profile(try await admin.device(device.id))
            let calls = await device.calls { await $0.start() }
            #expect(calls.map(\.line) == [Self.properties, Self.events])
            #expect(calls.map(\.status) == [204, 204])
            let after = Profile(try await admin.device(device.id))
            #expect(after == before)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-6, WIRE-21: calls made offline arrive in order; events overtake, and nothing is lost",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func offline(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) { $0.isOnVendorHost = true }
            await device.goOffline()
            await device.start()
            await device.setPushToken(device.pushToken)
            await device.track("viewed", ["page": "1"])
            await device.track("viewed", ["page": "2"])
            #expect(await device.exchanges.isEmpty)

            let calls = await device.calls { await $0.goOnline() }
            // On iOS the session waits before the token, and takes the app's events along.
            let rest = flavour == .ios ? [Self.events, Self.pushToken] : [Self.pushToken, Self.events]
            #expect(calls.map(\.line) == [Self.properties, Self.anonymous] + rest)
            #expect(calls.map(\.status) == [204, 200, 204, 204])
            #expect(try await admin.device(device.id).push.eligible)
            let names = try await admin.events(of: device.id).map(\.name)
            let sessions = flavour == .ios ? ["session:start"] : []
            #expect(names.sorted() == sessions + ["viewed", "viewed"])
            #expect(await device.complaints == [])
        }
    }

    /// The state that a repeated call must not change.
    private struct Profile: Hashable {
        let contactKey: String?
        let push: EligibilityResponse
        let pushToken: String?
        let system: SystemProperties

        init(_ answer: DeviceResponse) {
            contactKey = answer.contactKey
            push = answer.push
            pushToken = answer.pushToken
            system = answer.system
        }
    }
}
