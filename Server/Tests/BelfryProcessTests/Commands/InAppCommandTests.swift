import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

@Suite("Commands for in-app campaigns")
struct InAppCommandTests {
    @Test(
        "CLI-4, IAM-1, IAM-10: a message is composed by options, launched, shown, deleted and recalled",
        .timeLimit(.minutes(10))
    )
    func options() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let device = DeviceCaller(server: server, http: stage.http)
                try await device.link(to: "anna")
                let made: CampaignStatusResponse = try await stage.answer(
                    [
                        "campaign", "create", "shop", "--type", "bannerTop", "--title", "Sale", "--body", "Only today",
                        "--trigger", "purchase", "--url", "shop://sale", "--button", "Show me", "--ends-at",
                        "2099-01-01T00:00:00", "--display-limit", "3", "--image", "https://example.com/a.png",
                        "--launch",
                    ], at: server.address
                )
                #expect(made.status == .active)
                let campaign = try await stage.admin(server).campaign(made.id)
                let open = InAppAction(type: .openUrl, url: "shop://sale")
                let expected = InAppDraft(
                    type: .bannerTop, trigger: InAppTrigger(event: "purchase"),
                    endsAt: Timestamp.date("2099-01-01T00:00:00Z"), displayLimit: 3,
                    content: InAppContent(
                        title: "Sale", body: "Only today", imageUrl: "https://example.com/a.png",
                        buttons: [InAppButton(id: "open", text: "Show me", action: open)]
                    )
                )
                #expect(campaign.inApp == expected && campaign.name == "Sale" && campaign.push == nil)

                let page = stage.folder.appending(path: "page.html")
                let shown = try await stage.command(
                    ["campaign", "preview", "shop", made.id, "--device", device.id, "--html", page.path],
                    at: server.address
                )
                #expect(shown.properties["title in the app"] == "Sale", "\(shown.errors)")
                #expect(try String(contentsOf: page, encoding: .utf8).hasPrefix("<!DOCTYPE html>"))

                let deleted = try await stage.command(["campaign", "delete", "shop", made.id], at: server.address)
                #expect(deleted.output == "Campaign \(made.id) was deleted.\n", "\(deleted.errors)")
                let recalled = try await stage.command(["campaign", "recall", "shop", made.id], at: server.address)
                #expect(recalled.output.contains("cancelled; its messages were recalled"), "\(recalled.errors)")
                let afterwards = try await stage.command(["campaign", "show", "shop", made.id], at: server.address)
                #expect(
                    afterwards.output.contains("It was deleted at")
                        && afterwards.output.contains("messages were recalled at"))
            }
        }
    }

    @Test(
        "CLI-4, IAM-4: a message comes from a file unchanged, and an edit of a launched one is published",
        .timeLimit(.minutes(10))
    )
    func file() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let first = try stage.file(
                    "first.json", #"{"type":"modal","trigger":{"event":"a"},"content":{"title":"First"}}"#
                )
                let made: CampaignStatusResponse = try await stage.answer(
                    ["campaign", "create", "shop", "--kind", "inApp", "--in-app", first, "--name", "News", "--launch"],
                    at: server.address
                )
                let second = try stage.file(
                    "second.json", #" { "type":"modal","trigger":{"event":"a"},"content":{"title":"Second"}}"#
                )
                let edit = ["campaign", "edit", "shop", made.id, "--name", "News", "--in-app", second]
                let edited: CampaignStatusResponse = try await stage.answer(edit, at: server.address)
                #expect(edited.status == .active)
                var campaign = try await stage.admin(server).campaign(made.id)
                #expect(campaign.inApp?.content.title == "Second" && campaign.inAppVersion == 2)
                // Saving the same again is not an edit; resetting the displays is.
                _ = try await stage.answer(edit, at: server.address, as: CampaignStatusResponse.self)
                #expect(try await stage.admin(server).campaign(made.id).inAppVersion == 2)
                _ = try await stage.answer(
                    edit + ["--reset-displays"], at: server.address, as: CampaignStatusResponse.self)
                campaign = try await stage.admin(server).campaign(made.id)
                #expect(campaign.inAppVersion == 3 && campaign.audience == .everyone)

                let bad = try stage.file("bad.json", #"{"type":"modal","content":{"title":"First","titel":1}}"#)
                let create = ["campaign", "create", "shop", "--name", "News", "--in-app"]
                try await stage.command(create + [bad], at: server.address)
                    .expectError(1, naming: ["(422)", "[inApp.content.titel]", "Did you mean 'title'?"])
                let untriggered = try stage.file("none.json", #"{"type":"modal","content":{"title":"First"}}"#)
                try await stage.command(create + [untriggered], at: server.address)
                    .expectError(1, naming: ["(422)", "[inApp.trigger]"])
            }
        }
    }

    @Test(
        "CLI-4, CAMP-6: image, button, variants and priority are those of a push where the campaign is one",
        .timeLimit(.minutes(10))
    )
    func push() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let variants = try stage.file("variants.json", #"{"fr":{"title":"Soldes"}}"#)
                let shared = [
                    "campaign", "create", "shop", "--title", "Sale", "--body", "Only today", "--image",
                    "https://example.com/a.png", "--url", "shop://sale", "--button", "Show me", "--variants", variants,
                    "--priority", "5",
                ]
                let open = NotificationAction(type: .openUrl, url: "shop://sale")
                let kinds: [([String], CampaignKind)] = [
                    (["--kind", "push"], .push), (["--badge", "increment"], .push),
                    (["--center", "Primary"], .pushAndMessageCenter),
                ]
                for (options, kind) in kinds {
                    let made: CampaignStatusResponse = try await stage.answer(shared + options, at: server.address)
                    let campaign = try await stage.admin(server).campaign(made.id)
                    #expect(campaign.kind == kind && campaign.inApp == nil)
                    let push = try #require(campaign.push)
                    #expect(push.title == "Sale" && push.imageUrl == "https://example.com/a.png")
                    #expect(push.buttons == [NotificationButton(id: "open", text: "Show me", action: open)])
                    #expect(push.priority == 5 && push.variants?["fr"]?.title == "Soldes" && push.action == open)
                }
                let made: CampaignStatusResponse = try await stage.answer(
                    shared + ["--kind", "inApp"], at: server.address
                )
                let inApp = try await stage.admin(server).campaign(made.id).inApp
                #expect(inApp?.priority == 5 && inApp?.content.imageUrl == "https://example.com/a.png")
            }
        }
    }

    @Test(
        "CLI-4: invalid options of a message are a usage error, which says the right format", .timeLimit(.minutes(10)),
        arguments: [
            (["--title", "a", "--body", "b", "--type", "popup"], ["--type", "bannerTop"]),
            (["--title", "a", "--body", "b", "--type", "modal", "--button", "Go"], ["--url"]),
            (["--title", "a", "--body", "b", "--type", "modal", "--center", "news"], ["message center"]),
            (["--title", "a", "--body", "b", "--kind", "silent"], ["--kind silent needs", "--file"]),
            (["--name", "a", "--in-app", "a.json", "--type", "modal"], ["not both"]),
            (["--name", "a", "--in-app", "a.json", "--title", "a"], ["not both"]),
            (["--in-app", "a.json"], ["--name"]), (["--type", "modal"], ["--title"]),
            (["--title", "a", "--body", "b", "--image", "https://a.b/c"], ["--image", "--kind push", "--kind inApp"]),
            (["--title", "a", "--body", "b", "--priority", "5"], ["--priority", "--kind push", "--kind inApp"]),
            (["--kind", "push", "--title", "a", "--body", "b", "--button", "Go"], ["--url"]),
            (["--without-push", "--title", "a", "--body", "b", "--image", "https://a.b/c"], ["--image", "--center"]),
            (["--kind", "push", "--title", "a", "--body", "b", "--trigger", "a"], ["--kind push", "'inApp'"]),
            (["--name", "a", "--in-app", "a.json", "--image", "https://a.b/c"], ["not both"]),
            (["--file", "draft.json", "--type", "modal"], ["not both"]),
        ]
    )
    func badOptions(options: [String], words: [String]) async throws {
        try await withStage { stage in
            let outcome = try await stage.command(
                ["campaign", "create", "shop"] + options, at: "http://127.0.0.1:9"
            )
            outcome.expectError(64, naming: words)
        }
    }
}
