import BelfryAPI
import BelfryModel
import Foundation
import Testing
import V3Client

@Suite("In-app messages of a v3 client")
struct V3InAppTests {
    private static let everyKind = """
        [{"id":"go","text":"Go","action":{"type":"openUrl","url":"https://example.com/sale"}},
         {"id":"rate","text":"Rate","action":{"type":"event","name":"rated","attributes":{"stars":5}}},
         {"id":"push","text":"Push","action":{"type":"pushSettings"}},
         {"id":"no","text":"No","action":{"type":"close"}}]
        """

    private static func publish(_ message: String, _ admin: AdminCaller) async throws -> String {
        let body = #"{"name":"Sale","kind":"inApp","audience":{"everyone":true},"inApp":\#(message)}"#
        let request = try JSONDecoder().decode(CampaignRequest.self, from: Data(body.utf8))
        let made = try await admin.send(.POST, admin.path("campaigns"), request, as: CampaignStatusResponse.self)
        #expect(try await admin.change(made.id, "launch") == .active)
        return made.id
    }

    @Test(
        "IAM-13: a client shows the message of its event, carries out its commands, and reports",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases, ["v3", "v4"]
    )
    func v3InApp(flavour: V3Flavour, version: String) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) {
                $0.usesEventServiceV4 = version == "v4"
                $0.isOnVendorHost = true
            }
            await device.start()
            let id = try await Self.publish(
                #"""
                {"type":"modal","trigger":{"event":"viewed","where":{"attribute":"price","op":">","value":10}},
                 "content":{"title":"Sale","buttons":\#(Self.everyKind)}}
                """#, admin)
            await device.track("viewed", ["price": "5"])
            #expect(await device.showOverlay() == nil)
            await device.pauseInApp()
            await device.track("viewed", ["price": "42"])
            #expect(await device.showOverlay() == nil)
            await device.resumeInApp()
            await device.track("viewed", ["price": "42"])
            let shown = try #require(await device.showOverlay())
            #expect(shown.campaign == id && shown.html.contains("Sale"))
            try await Self.press(device, campaign: id)
            // It was seen as often as it may be.
            await device.track("viewed", ["price": "43"])
            #expect(await device.showOverlay() == nil)
            try await Self.expectHeard(of: id, device, admin)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "IAM-13: an on-event action has v3's format, and counts as a display",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases
    )
    func onEventAction(flavour: V3Flavour) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server)
            await device.start()
            let id = try await Self.publish(
                #"""
                {"type":"action","trigger":{"event":"viewed"},"content":{"actions":[
                 {"type":"openUrl","url":"app://cart"},{"type":"pushSettings"},
                 {"type":"event","name":"rated","attributes":{"stars":5}}]}}
                """#, admin)
            await device.track("viewed")
            await device.runOnEventActions()
            let memory = await device.memory
            #expect(memory.openedLinks == ["app://cart"])
            #expect(memory.appEvents == [["name": "rated", "payload": ["stars": 5]]])
            await device.track("viewed")
            #expect(await device.memory.onEventActions == [])
            let rated = try await admin.events(of: device.id).filter { $0.name == "rated" }
            #expect(rated.map(\.attributes) == [["stars": 5]])
            #expect(try await admin.campaign(id).inAppCounts?.displays == 1)
            #expect(await device.complaints == [])
        }
    }

    @Test(
        "WIRE-14: an inline view shows the message of its view, and reports clicks",
        .timeLimit(.minutes(10)), arguments: V3Flavour.allCases, ["v3", "v4"]
    )
    func inline(flavour: V3Flavour, version: String) async throws {
        try await withShop { server, admin in
            let device = try V3Device.installed(flavour, at: server) { $0.usesEventServiceV4 = version == "v4" }
            await device.start()
            let id = try await Self.publish(
                #"{"type":"inline","viewId":"home-banner","content":{"title":"Hello","buttons":\#(Self.everyKind)}}"#,
                admin)
            #expect(await device.inlineMessage("elsewhere") == nil)
            let shown = try #require(await device.inlineMessage("Home-Banner"))
            #expect(shown.campaign == id && shown.html.contains("Hello"))
            await device.command("buttonClicked", ["id": "1", "buttonId": "go"], campaign: id)
            #expect(try await admin.campaign(id).inAppCounts?.clicksByButton == ["go": 1])
            #expect(await device.complaints == [])
        }
    }

    /// Each command, as the page gives it.
    private static func press(_ device: V3Device, campaign: String) async throws {
        let commands: [(String, JSON)] = [
            ("buttonClicked", ["buttonId": "go"]), ("openExternalLink", ["url": "https://example.com/sale"]),
            ("buttonClicked", ["buttonId": "rate"]),
            ("triggerMEEvent", ["name": "rated", "payload": ["stars": 5]]),
            ("triggerAppEvent", ["name": "rated", "payload": ["stars": 5]]),
            ("copyToClipboard", ["text": "SALE10"]), ("close", [:]),
        ]
        for (number, (name, argument)) in commands.enumerated() {
            let response = await device.command(name, argument.with("id", "\(number)"), campaign: campaign)
            #expect(name == "close" || response?["success"] == .flag(true), "\(name)")
        }
        let memory = await device.memory
        #expect(memory.openedLinks == ["https://example.com/sale"] && memory.clipboard == "SALE10")
        #expect(memory.appEvents == [["name": "rated", "payload": ["stars": 5]]])
    }

    private static func expectHeard(of id: String, _ device: V3Device, _ admin: AdminCaller) async throws {
        let counts = try #require(try await admin.campaign(id).inAppCounts)
        #expect(counts.displays == 1 && counts.clicks == 2 && counts.clicksByButton == ["go": 1, "rate": 1])
        #expect(try await admin.explain(id, device: device.id).state == "accepted")
        let rated = try await admin.events(of: device.id).filter { $0.name == "rated" }
        #expect(rated.map(\.attributes) == [["stars": 5]])
    }
}
