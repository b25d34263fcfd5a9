import BelfryAPI
import BelfryModel
import BelfryServerModel
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
        "WIRE-1 to WIRE-6, WIRE-20, WIRE-29, ID-1, ID-6: starts, login, push, token refresh and logout of both clients",
        .timeLimit(.minutes(10))
    )
    func transcript() async throws {
        var page = ""
        for flavour in V3Flavour.allCases {
            try await withPushingShop { server, admin, services in
                let device = try V3Device.installed(flavour, at: server)
                let place = try await services.register(flavour == .ios ? .apns : .fcm)
                let push = try await tell(device, admin, services, at: place)
                let exchanges = await device.exchanges
                let lines = Dictionary(grouping: exchanges, by: \.chapter).mapValues { $0.map(\.line) }
                #expect(lines == Self.chapters(flavour))
                let part = V3Transcript(exchanges, pushes: ["Push": push]).markdown(heading: "####")
                let store = await device.store
                for secret in [store.contactToken, store.refreshToken, store.clientState, place.token] {
                    let text = try #require(secret)
                    #expect(!part.contains(text))
                }
                page += "### \(flavour == .ios ? "iOS" : "Android")\n\n\(part)"
            }
        }
        if let file = RunSettings.v3Transcript { try Data(page.utf8).write(to: file) }
    }

    /// - Returns: the push, as the device got it.
    private func tell(
        _ device: V3Device, _ admin: AdminCaller, _ services: PushServicesProcess, at place: PushServicesProcess.Place
    ) async throws -> JSON {
        await device.begin("First start")
        await device.start()
        await device.setPushToken(place.token)
        await device.begin("Next start")
        await device.start()
        await device.setPushToken(place.token)
        await device.begin("Login")
        await device.setContact("user-4711")
        #expect(try await admin.device(device.id).contactKey == "user-4711")
        await device.begin("Push")
        let push = try await open(device, admin, services, at: place)
        await device.begin("Token refresh")
        await device.tamper { store, _ in store.contactToken = "expired-or-rotten" }
        await device.track("add_to_cart", ["sku": "42"])
        await device.begin("Logout")
        await device.clearContact()
        await device.setPushToken(place.token)

        #expect(try await admin.device(device.id).contactKey?.hasPrefix("anonymous:") == true)
        #expect(try await admin.device(device.id).push.eligible)
        #expect(try await admin.events(of: device.id).filter { $0.name == "add_to_cart" }.count == 1)
        #expect(await device.complaints == [])
        return push
    }

    /// A push is sent, shown, opened and reported.
    private func open(
        _ device: V3Device, _ admin: AdminCaller, _ services: PushServicesProcess, at place: PushServicesProcess.Place
    ) async throws -> JSON {
        let content = PushContent(
            title: "Sale", body: "Ten per cent off", imageUrl: "https://example.com/sale.png",
            action: NotificationAction(type: .openUrl, url: "https://example.com/sale"),
            buttons: [NotificationButton(id: "later", text: "Later")]
        )
        let campaign = try await admin.run(
            CampaignRequest(name: "Sale", kind: .push, audience: .everyone, push: content))
        try await device.receiveNewest(from: services, at: place)
        await device.tap(try #require(await device.memory.notifications.last))
        #expect(await device.memory.openedLinks == ["https://example.com/sale"])
        #expect(try await admin.campaign(campaign.id).counts.opened == 1)
        let bytes = try #require(try await services.arrivals(at: place).last).bytes
        let json = try #require(JSON(parsing: bytes))
        // Of FCM the app gets the data.
        return json["message"]?["data"] ?? json
    }

    private static func chapters(_ flavour: V3Flavour) -> [String: [String]] {
        let (isIOS, first) = (flavour == .ios, [properties, anonymous])
        // Towards another host than its vendor's iOS sends each event alone, and Android its properties at each start.
        let two = isIOS ? [events, events] : [events]
        return [
            "First start": first + (isIOS ? [events, pushToken] : [pushToken]),
            "Next start": isIOS ? two + [pushToken] : [properties, events],
            "Login": [contact] + two,
            "Push": [events],
            "Token refresh": [events, refresh, events],
            "Logout": (isIOS ? [] : [events]) + [anonymous] + two + [pushToken],
        ]
    }
}
