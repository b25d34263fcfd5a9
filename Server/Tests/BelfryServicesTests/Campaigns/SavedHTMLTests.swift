import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Campaigns whose HTML was saved before it was looked at so closely (SEC-4).
struct SavedHTMLTests {
    /// HTML that a weaker check accepted.
    private static let hostile = [
        "<scr{{!c}}ipt>alert(1)</script>", "<a href='{{^city}}https://x{{/city}}{{firstName}}'>x</a>",
        "<iframe src='{{^city}}https://x{{/city}}{{firstName}}'></iframe>",
    ]

    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        for name in ["city", "firstName"] { try await world.apps.defineAttribute(name, type: .string, app: world.app) }
        return world
    }

    @Test(
        "SEC-4: rich content that newer rules refuse is not kept: its campaign pauses, and says why",
        arguments: hostile)
    func richContent(html: String) async throws {
        let world = try await Self.world()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let content = MessageCenterContent(subject: "a", message: "b", richHtml: "placeholder")
        let id = try await world.launch(message: content, push: ServiceWorld.content)
        try await world.store(html, in: id)
        try await world.sendToTheEnd()
        let campaign = try await world.campaign(id)
        #expect(campaign.status == .paused)
        #expect(campaign.statusReason?.contains("richHtml: In line 1 ") == true, "\(campaign.statusReason ?? "")")
        #expect(try await world.inbox(device).isEmpty && world.transport.requests.isEmpty)
        let saved = MessageCenterContent(subject: "a", message: "b", richHtml: html)
        let code = await errorCode { try await world.launch(message: saved, push: ServiceWorld.content) }
        #expect(code.map { ["scriptNotAllowed", "unsafePlace", "notAllowed"].contains($0) } == true)
    }

    @Test(
        "SEC-4, IAM-12: an in-app message that newer rules refuse is not sent, and the ledger says why",
        arguments: hostile)
    func inApp(html: String) async throws {
        let world = try await Self.world()
        var phone = InAppPhone(try await ServiceDevice.started(world, 1))
        try await phone.device.identify("anna")
        var message = ServiceWorld.modal()
        (message.type, message.content) = (.html, InAppContent(html: "placeholder"))
        let id = try await world.offer(message)
        try await world.store(html, in: id)
        #expect(try await phone.sync().messages.isEmpty)
        let row = try #require(try await world.delivery(id, phone.device))
        #expect(row.state == .suppressed && row.reason == .renderError)
        #expect(row.note?.contains("content.html: ") == true && row.note?.contains("In line 1 ") == true)
    }

    @Test("IAM-12: a message with script is not sent any more when the app's setting is withdrawn")
    func takenBack() async throws {
        let world = try await Self.world()
        var change = AppSettingsChange()
        change.inAppScripts = .set(true)
        _ = try await world.apps.changeSettings(change, of: world.app)
        var message = ServiceWorld.modal()
        (message.type, message.content) = (.html, InAppContent(html: "<script>belfry.close()</script>"))
        let id = try await world.offer(message)
        var first = InAppPhone(try await ServiceDevice.started(world, 1))
        try await first.device.identify("anna")
        #expect(try await first.sync().messages.map(\.campaign) == [id])
        change.inAppScripts = .set(false)
        _ = try await world.apps.changeSettings(change, of: world.app)
        var second = InAppPhone(try await ServiceDevice.started(world, 2))
        try await second.device.identify("ben")
        #expect(try await second.sync().messages.isEmpty)
        #expect(try await world.delivery(id, second.device)?.note?.contains("inAppScripts") == true)
    }
}

extension ServiceWorld {
    /// Writes other HTML into a campaign, past all checks.
    fileprivate func store(_ html: String, in id: CampaignID) async throws {
        try await database.write { connection in
            _ = try connection.execute(
                "UPDATE campaigns SET content = REPLACE(content, 'placeholder', ?) WHERE id = ?",
                [.text(html), .integer(id.number)]
            )
        }
    }
}
