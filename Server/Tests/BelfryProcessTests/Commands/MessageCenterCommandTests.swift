import BelfryAPI
import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@Suite("Commands for message centers")
struct MessageCenterCommandTests {
    @Test(
        "CLI-4, MC-2: message centers are made, listed, changed and deleted; a fifth is refused",
        .timeLimit(.minutes(10)))
    func centers() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let command = ["app", "message-center"]
                for name in ["news", "offers", "tips", "orders"] {
                    let made: MessageCenterDefinition = try await stage.answer(
                        command + ["set", "shop", name, "--label", "The \(name)"], at: server.address
                    )
                    #expect(made.enabled && made.label == "The \(name)")
                }
                let hidden = try await stage.command(
                    command + ["set", "shop", "tips", "--label", "", "--enabled", "false"], at: server.address
                )
                #expect(hidden.output == "The message center 'tips' is disabled.\n", "\(hidden.errors)")
                try await stage.command(command + ["set", "shop", "fifth"], at: server.address)
                    .expectError(1, naming: ["(409)", "at most 4"])
                try await stage.command(command + ["set", "shop", "a b"], at: server.address)
                    .expectError(1, naming: ["(422)", "[name]"])
                try await stage.command(command + ["delete", "shop", "Primary"], at: server.address)
                    .expectError(1, naming: ["(409)", "disabled, not deleted"])
                let deleted = try await stage.command(command + ["delete", "shop", "offers"], at: server.address)
                #expect(deleted.output == "The message center 'offers' was deleted.\n", "\(deleted.errors)")
                let list: MessageCenterListResponse = try await stage.answer(
                    command + ["list", "shop"], at: server.address
                )
                #expect(list.messageCenters.map(\.name) == ["Primary", "news", "tips", "orders"])
                let shown = try await stage.command(command + ["list", "shop"], at: server.address)
                #expect(shown.output.contains("The news"), "\(shown.errors)")
                try await stage.command(command + ["set", "shop", ""], at: server.address)
                    .expectError(64, naming: ["name is empty"])
            }
        }
    }

    @Test(
        "CLI-4, MC-3, MC-5, BADGE-1, ENG-4: a message without a push is composed by options, launched, fetched and counted",
        .timeLimit(.minutes(10))
    )
    func message() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                _ = try await stage.command(["app", "message-center", "set", "shop", "news"], at: server.address)
                let device = DeviceCaller(server: server, http: stage.http)
                try await device.link(to: "anna")
                let page = try stage.file("page.html", "<p>Only today</p>")
                let made: CampaignStatusResponse = try await stage.answer(
                    [
                        "campaign", "create", "shop", "--title", "Sale", "--body", "Only today", "--center", "news",
                        "--without-push", "--rich-html", page, "--icon", "https://example.com/i.png", "--badge",
                        "increment:2", "--message-expires-at", "2099-01-01T00:00:00", "--url", "app://sale",
                    ], at: server.address
                )
                let launched = try await stage.command(
                    ["campaign", "launch", "shop", made.id, "--wait"], at: server.address
                )
                #expect(launched.exit == .code(0) && launched.properties["accepted"] == "1", "\(launched.errors)")

                let fetched = try await device.messageCenters()
                #expect(fetched.badge == Badge(count: 2, revision: 1))
                let message = try #require(fetched.messageCenters.first { $0.name == "news" }?.messages.first)
                #expect(message.subject == "Sale" && message.message == "Only today" && message.hasRichContent)
                #expect(message.expiresAt == "2099-01-01T00:00:00.000Z")
                #expect(message.deeplinkURL.flatMap(WireURL.decoded) == "app://sale")
                let moment = Timestamp.text(Date())
                try await device.send(
                    ["messagecenter:display", "messagecenter:open"].map { name in
                        WireEvent(
                            id: name, type: "internal", name: name, timestamp: moment,
                            attributes: ["messageId": .string(message.id)]
                        )
                    }
                )
                let shown = try await stage.command(["campaign", "show", "shop", made.id], at: server.address)
                #expect(shown.properties["displayed in the center"] == "1", "\(shown.output)\(shown.errors)")
                #expect(shown.properties["opened in the center"] == "1")
                let seen = try await stage.command(["device", "show", "shop", device.id], at: server.address)
                #expect(seen.properties["badge"] == "2", "\(seen.errors)")
            }
        }
    }

    @Test("CLI-4, MC-3, BADGE-1: a push that is kept in a center has its badge once", .timeLimit(.minutes(10)))
    func keptPush() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let base = ["campaign", "create", "shop", "--title", "Sale", "--body", "Only today"]
                let kept: CampaignStatusResponse = try await stage.answer(
                    base + ["--center", "Primary", "--subject", "For you", "--badge", "set:3"], at: server.address
                )
                let campaign = try await stage.admin(server).campaign(kept.id)
                #expect(campaign.kind == .pushAndMessageCenter)
                #expect(campaign.push?.badge == BadgeChange(op: .set, value: 3))
                #expect(campaign.messageCenter?.subject == "For you" && campaign.messageCenter?.badge == nil)
                let plain: CampaignStatusResponse = try await stage.answer(
                    base + ["--badge", "clear"], at: server.address)
                let push = try await stage.admin(server).campaign(plain.id)
                #expect(push.kind == .push && push.push?.badge == BadgeChange(op: .clear) && push.messageCenter == nil)
                try await stage.command(base + ["--center", "nowhere"], at: server.address)
                    .expectError(1, naming: ["(422)", "[messageCenter.center]"])
            }
        }
    }

    @Test(
        "CLI-4, CAMP-6: a push opens the page that is kept with it, unless an address is given",
        .timeLimit(.minutes(10)))
    func keptPage() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let page = try stage.file("page.html", "<p>Only today</p>")
                let rich = NotificationAction(type: .openRichMessage)
                let sale = NotificationAction(type: .openUrl, url: "app://sale")
                let cases: [(options: [String], action: NotificationAction?)] = [
                    (["--center", "Primary", "--rich-html", page], rich),
                    (["--center", "Primary", "--rich-url", "https://example.com/today"], rich),
                    (["--center", "Primary", "--rich-html", page, "--url", "app://sale"], sale),
                    (["--center", "Primary"], nil),
                    (["--without-push", "--rich-html", page], nil),
                ]
                for (options, action) in cases {
                    let made: CampaignStatusResponse = try await stage.answer(
                        ["campaign", "create", "shop", "--title", "Sale", "--body", "Only today"] + options,
                        at: server.address
                    )
                    let campaign = try await stage.admin(server).campaign(made.id)
                    #expect(campaign.push?.action == action, "\(options)")
                }
            }
        }
    }

    @Test(
        "CLI-4: invalid options of a message are a usage error, which says the right format", .timeLimit(.minutes(10)),
        arguments: [
            (["--badge", "increment:two"], ["--badge", "increment:2"]), (["--badge", "more"], ["set:3"]),
            (["--subject", "a"], ["--center"]), (["--rich-url", "https://example.com"], ["--center"]),
            (["--center", "news", "--rich-url", "https://example.com", "--rich-html", "a.html"], ["not both"]),
            (["--file", "draft.json", "--center", "news"], ["not both"]),
        ]
    )
    func badOptions(options: [String], words: [String]) async throws {
        try await withStage { stage in
            let outcome = try await stage.command(
                ["campaign", "create", "shop", "--title", "a", "--body", "b"] + options, at: "http://127.0.0.1:9"
            )
            outcome.expectError(64, naming: words)
        }
    }
}
