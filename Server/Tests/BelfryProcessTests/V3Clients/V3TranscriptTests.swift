import Foundation
import Testing
import V3Client

@Suite("The transcript of the v3 clients")
struct V3TranscriptTests {
    private static let properties = "POST /v3/apps/shop/client"
    private static let contact = "POST /v3/apps/shop/client/contact"
    private static let anonymous = "POST /v3/apps/shop/client/contact?anonymous=true"
    private static let refresh = "POST /v3/apps/shop/client/contact-token"
    private static let pushToken = "PUT /v3/apps/shop/client/push-token"
    private static let events = "POST /v4/apps/shop/client/events"

    /// The transcript in `Docs/V3Clients.md`; `Scripts/v3-transcript` writes it there.
    @Test(
        "WIRE-1 to WIRE-6, WIRE-20, ID-1, ID-6: first and next start, login, token refresh and logout of both clients",
        .timeLimit(.minutes(10))
    )
    func transcript() async throws {
        var page = ""
        for flavour in V3Flavour.allCases {
            try await withOwnShop { server, admin in
                let device = try V3Device.installed(flavour, at: server)
                try await tell(device, admin)
                let exchanges = await device.exchanges
                let lines = Dictionary(grouping: exchanges, by: \.chapter).mapValues { $0.map(\.line) }
                #expect(lines == Self.chapters(flavour))
                let part = V3Transcript(exchanges).markdown(heading: "####")
                let store = await device.store
                for secret in [store.contactToken, store.refreshToken, store.clientState, device.pushToken] {
                    let text = try #require(secret)
                    #expect(!part.contains(text))
                }
                page += "### \(flavour == .ios ? "iOS" : "Android")\n\n\(part)"
            }
        }
        if let file = RunSettings.v3Transcript { try Data(page.utf8).write(to: file) }
    }

    private func tell(_ device: V3Device, _ admin: AdminCaller) async throws {
        await device.begin("First start")
        await device.start()
        await device.setPushToken(device.pushToken)
        await device.begin("Next start")
        await device.start()
        await device.setPushToken(device.pushToken)
        await device.begin("Login")
        await device.setContact("user-4711")
        #expect(try await admin.device(device.id).contactKey == "user-4711")
        await device.begin("Token refresh")
        await device.tamper { store, _ in store.contactToken = "expired-or-rotten" }
        await device.track("add_to_cart", ["sku": "42"])
        await device.begin("Logout")
        await device.clearContact()
        await device.setPushToken(device.pushToken)

        #expect(try await admin.device(device.id).contactKey?.hasPrefix("anonymous:") == true)
        #expect(try await admin.device(device.id).push.eligible)
        #expect(try await admin.events(of: device.id).filter { $0.name == "add_to_cart" }.count == 1)
        #expect(await device.complaints == [])
    }

    private static func chapters(_ flavour: V3Flavour) -> [String: [String]] {
        let first = [properties, anonymous]
        return [
            "First start": first + (flavour == .ios ? [events, pushToken] : [pushToken]),
            "Next start": flavour == .ios ? [events, pushToken] : [events],
            "Login": [contact, events],
            "Token refresh": [events, refresh, events],
            "Logout": (flavour == .ios ? [] : [events]) + [anonymous, events, pushToken],
        ]
    }
}
