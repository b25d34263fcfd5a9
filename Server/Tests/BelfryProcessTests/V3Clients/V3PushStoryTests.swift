import BelfryAPI
import BelfryModel
import BelfryServerModel
import Testing
import V3Client

@Suite("Pushes to a v3 client")
struct V3PushStoryTests {
    /// A device of a flavour, a client's version, and its build.
    struct Kind: Sendable, CustomTestStringConvertible {
        let flavour: V3Flavour
        var version: String?
        var mode = "production"

        var testDescription: String { "\(flavour) \(version ?? "") \(mode)" }
        var environment: PushEnvironment { flavour == .ios && mode == "debug" ? .sandbox : .production }
        var provider: PushProvider { flavour == .ios ? .apns : .fcm }
    }

    static let kinds = [
        Kind(flavour: .ios), Kind(flavour: .ios, mode: "debug"), Kind(flavour: .android),
        Kind(flavour: .android, version: "3.7.3", mode: "debug"),
    ]

    private static let content = PushContent(
        title: "Hello {{firstName}}", body: "A \"sale\" in {{city}}", imageUrl: "https://example.com/a.png",
        action: NotificationAction(type: .openUrl, url: "shop://bag?name={{firstName}}"),
        buttons: [
            NotificationButton(
                id: "web", text: "Web", action: NotificationAction(type: .openUrl, url: "https://example.com/sale")),
            NotificationButton(id: "later", text: "Later"),
        ],
        custom: ["shop": "Paris"], defaults: ["firstName": "friend", "city": "{Zürich}"]
    )
    private static let push = CampaignRequest(name: "Sale", kind: .push, audience: .everyone, push: content)

    private func device(
        _ kind: Kind, _ server: ServerProcess, _ services: PushServicesProcess
    ) async throws -> (V3Device, PushServicesProcess.Place) {
        let device = try V3Device.installed(kind.flavour, at: server) {
            $0.mode = kind.mode
            $0.sdkVersion = kind.version
        }
        let place = try await services.register(kind.provider, environment: kind.environment)
        await device.start()
        await device.setPushToken(place.token)
        return (device, place)
    }

    private func define(_ admin: AdminCaller) async throws {
        for attribute in ["firstName", "city"] {
            let path = admin.path("attributes/\(attribute)")
            _ = try await admin.send(.PUT, path, DefineAttributeRequest(type: .string), as: AttributeDefinition.self)
        }
    }

    @Test(
        "WIRE-29: a push is shown, opened by its body and by a button, acts and is reported",
        .timeLimit(.minutes(10)), arguments: kinds
    )
    func opened(kind: Kind) async throws {
        try await withPushingShop { server, admin, services in
            try await define(admin)
            let (device, place) = try await device(kind, server, services)
            for button in [nil, "web", "later"] as [String?] {
                let campaign = try await admin.run(Self.push)
                #expect(campaign.counts.accepted == 1)
                try await device.receiveNewest(from: services, at: place)
                let shown = try #require(await device.memory.notifications.last)
                #expect(shown.title == "Hello friend" && shown.body == "A \"sale\" in {Zürich}")
                #expect(shown.image == "https://example.com/a.png" && shown.buttons == ["Web", "Later"])
                #expect(
                    shown.campaign == campaign.id && shown.sid != nil && shown.collapseID == "belfry-\(campaign.id)")
                if kind.flavour == .android {
                    #expect(shown.channel == "news" && shown.messageID == shown.sid)
                    #expect(shown.rootParameters["shop"] == "Paris")
                }
                try await expectReport(of: shown, button: button, device, campaign.id, admin)
            }
            #expect(await device.memory.openedLinks == ["shop://bag?name=friend", "https://example.com/sale"])
            #expect(await device.memory.launches == 3)
            let stored = try await admin.device(device.id)
            #expect(stored.v3Client == kind.version ?? (kind.flavour == .ios ? "3.10.2" : "3.11.0"))
            #expect(stored.pushEnvironment == kind.environment)
            #expect(await device.complaints == [])
        }
    }

    private func expectReport(
        of shown: V3Notification, button: String?, _ device: V3Device, _ campaign: String, _ admin: AdminCaller
    ) async throws {
        let calls = await device.calls { await $0.tap(shown, button: button) }
        #expect(calls.map(\.events) == [["push:click"]] && calls.map(\.status) == [204])
        let event = try #require(try await admin.events(of: device.id).first { $0.name == "push:click" })
        var attributes: [String: AttributeValue] = [
            "sid": .string(shown.sid ?? ""), "origin": .string(button == nil ? "main" : "button"),
        ]
        attributes["button_id"] = button.map(AttributeValue.string)
        #expect(event.attributes == attributes)
        #expect(try await admin.campaign(campaign).counts.opened == 1)
        #expect(try await admin.explain(campaign, device: device.id).state == "accepted")
    }

    @Test(
        "WIRE-29, PUSH-5: a second push with the same collapse id takes the first one's place; a silent one shows nothing",
        .timeLimit(.minutes(10)), arguments: kinds
    )
    func collapsed(kind: Kind) async throws {
        try await withPushingShop { server, admin, services in
            let (device, place) = try await device(kind, server, services)
            for title in ["First", "Second"] {
                let content = PushContent(title: title, body: "b", collapseId: "score", androidChannel: "news")
                _ = try await admin.run(CampaignRequest(name: title, kind: .push, audience: .everyone, push: content))
                try await device.receiveNewest(from: services, at: place)
            }
            #expect(await device.memory.notifications.map(\.title) == ["Second"])
            let silent = PushContent(title: "", body: "", custom: ["reload": "prices"])
            let campaign = try await admin.run(
                CampaignRequest(name: "Silent", kind: .silent, audience: .everyone, push: silent))
            #expect(campaign.counts.accepted == 1)
            try await device.receiveNewest(from: services, at: place)
            #expect(await device.memory.notifications.map(\.title) == ["Second"])
            #expect(await device.memory.leftToApp == 0)
            #expect(await device.complaints == [])
        }
    }

    @Test("WIRE-29, BADGE-1: the icon gets its number on iOS", .timeLimit(.minutes(10)))
    func badge() async throws {
        try await withPushingShop { server, admin, services in
            let (device, place) = try await device(Kind(flavour: .ios), server, services)
            let content = PushContent(title: "a", body: "b", badge: BadgeChange(op: .increment))
            for count in 1...2 {
                _ = try await admin.run(CampaignRequest(name: "n", kind: .push, audience: .everyone, push: content))
                try await device.receiveNewest(from: services, at: place)
                #expect(await device.memory.badge == count)
            }
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-29, CAMP-7: a test message is in the client's words, too", .timeLimit(.minutes(10)),
        arguments: V3Flavour.allCases
    )
    func testSend(flavour: V3Flavour) async throws {
        try await withPushingShop { server, admin, services in
            let (device, place) = try await device(Kind(flavour: flavour), server, services)
            func request(_ title: String) -> CampaignRequest {
                let content = PushContent(title: title, body: "b", androidChannel: "news")
                return CampaignRequest(name: "n", kind: .push, audience: .everyone, push: content)
            }
            // A test is sent once, and a connection or an access token may be long in coming. A campaign tries again,
            // and leaves both behind.
            #expect(try await admin.run(request("Before")).counts.accepted == 1)
            let draft = try await admin.send(
                .POST, admin.path("campaigns"), request("Try"), as: CampaignStatusResponse.self)
            let results = try await admin.send(
                .POST, admin.path("campaigns/\(draft.id)/test"), TestSendRequest(deviceIds: [device.id]),
                as: TestSendResponse.self)
            #expect(results.results.map(\.state) == [.accepted])
            try await device.receiveNewest(from: services, at: place)
            let shown = try #require(await device.memory.notifications.last)
            #expect(shown.title == "Try")
            await device.tap(shown)
            // It is of no campaign, and stored as an event only.
            #expect(try await admin.events(of: device.id).contains { $0.name == "push:click" })
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-20, WIRE-29: an installation with an id of old is served like any other", .timeLimit(.minutes(10)),
        arguments: ["9774d56d682e549c", "cWvBYyPfRX6", "9774D56D682E549C", #"a/b?c#"%25\d"#]
    )
    func oldIDs(id: String) async throws {
        try await withPushingShop { server, admin, services in
            let device = try V3Device.installed(.android, at: server) { $0.clientID = id }
            let place = try await services.register(.fcm)
            await device.start()
            await device.setPushToken(place.token)
            await device.setContact("user-4711")
            await device.track("viewed")
            await device.tamper { store, _ in store.contactToken = "rotten" }
            #expect(await device.track("viewed") == .accepted(204))
            let name = WireURL.encoded(id)
            #expect(try await admin.device(name).contactKey == "user-4711")
            #expect(try await admin.device(name).deviceId == id)
            let content = PushContent(title: "a", body: "b", androidChannel: "news")
            let campaign = try await admin.run(
                CampaignRequest(name: "n", kind: .push, audience: .deviceIDs([id]), push: content))
            #expect(campaign.counts.accepted == 1)
            try await device.receiveNewest(from: services, at: place)
            await device.tap(try #require(await device.memory.notifications.last))
            #expect(try await admin.campaign(campaign.id).counts.opened == 1)
            #expect(try await admin.explain(campaign.id, device: name).state == "accepted")
            #expect(try await admin.events(of: name).count { $0.name == "viewed" } == 2)
            #expect(await device.complaints == [])
        }
    }

    @Test("REG-22: iOS keeps its id over a re-installation, and says the permission once", .timeLimit(.minutes(10)))
    func reinstalled() async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(.ios, at: server)
            await device.start()
            await device.setPushToken(device.pushToken)
            await device.setContact("user-4711")
            let allowed = try #require(await device.info["pushSettings"])
            await device.reinstall()
            await device.change("pushSettings", to: allowed.with("authorizationStatus", "denied"))
            let calls = await device.calls {
                await $0.start()
                await $0.setPushToken($0.pushToken)
            }
            #expect(calls.allSatisfy { ($0.status ?? 0) / 100 == 2 })
            let rejected = try await admin.device(device.id)
            #expect(rejected.osPushEnabled == false && rejected.push.reason == "optedOut:os-setting")
            #expect(rejected.contactKey?.hasPrefix("anonymous:") == true)
            await device.change("pushSettings", to: allowed)
            await device.start()
            #expect(try await admin.device(device.id).push.eligible)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-29, MC-14: a person reads and deletes in the inbox by tags", .timeLimit(.minutes(10)),
        arguments: V3Flavour.allCases
    )
    func inbox(flavour: V3Flavour) async throws {
        try await withPushingShop { server, admin, services in
            let (device, _) = try await device(Kind(flavour: flavour), server, services)
            await device.setContact("user-4711")
            let content = PushContent(title: "Kept", body: "b", androidChannel: "news")
            _ = try await admin.run(
                CampaignRequest(name: "n", kind: .pushAndMessageCenter, audience: .everyone, push: content))
            let message = try #require(await device.fetchInbox()?.first)
            let id = try #require(message["id"]?.string)
            #expect(message["tags"] == [])
            await device.addTag("SEEN", to: id)
            let tags = try #require(await device.fetchInbox()?.first?["tags"]?.items)
            #expect(tags.contains("seen"))
            // It is shown already, and so not sent again.
            let again = await device.calls { await $0.addTag("seen", to: id) }
            #expect(again.isEmpty)
            await device.addTag("deleted", to: id)
            #expect(await device.fetchInbox() == [])
            #expect(await device.complaints == [])
        }
    }
}
