import BelfryBrowser
import BelfryModel
import BelfryServerModel
import BelfryServices
import Testing

@testable import BelfryConsole

@Suite("CON-10: the settings of an app")
struct SettingsStoryTests {
    private static let base = "/console/apps/shop/settings"

    @Test("CON-10: a new app is told what to do first, with the very lines; what is done is not asked again")
    func firstSteps() async throws {
        try await TestConsole.run { console in
            let app = try await console.services.apps.create(code: "shop", name: "Shop").app
            let admin = try await console.visitor(as: "anna", roles: [app.id: .admin])
            let before = try await admin.get(Self.base).text
            #expect(before.contains("Next: add the credentials of a push service."))
            #expect(before.contains("belfry app credentials apns shop --team-id"))
            #expect(before.contains("BelfryClient(configuration: configuration"))
            #expect(before.contains("appCode: &quot;shop&quot;"))
            #expect(before.contains("serverURL: URL(string: &quot;http://localhost&quot;)!"))
            try await console.services.apps.putAPNsCredentials(CampaignStory.credentials, app: app)
            let after = try await admin.get(Self.base).text
            #expect(after.contains("Next: connect the app.") && !after.contains("belfry app credentials apns shop"))
        }
    }

    @Test("CON-10: a person changes settings; the app has them, and the audit log names the person and the settings")
    func saved() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            let page = "\(Self.base)/general"
            let answer = try await admin.submit(
                page,
                [
                    "version": try await admin.get(page).hidden("version"), "name": "The Shop",
                    "timeZone": "Europe/Paris", "inAppScripts": "yes",
                ]
            )
            #expect(answer.status == .seeOther)
            let stored = try await console.services.apps.stored(story.app)
            #expect(stored.name == "The Shop" && stored.settings.timeZone == "Europe/Paris")
            #expect(stored.settings.allowsInAppScripts && !stored.settings.asksForApproval)
            let line = try await console.lines().first { $0.action == "settings.put" }
            #expect(line?.actor == "user:admin" && line?.app == "shop")
            #expect(line?.target == "name inAppScripts requiresApproval timeZone")
            // A box that is not ticked is sent by no browser: it is off.
            _ = try await admin.submit(
                page,
                ["version": try await admin.get(page).hidden("version"), "name": "The Shop", "timeZone": ""]
            )
            let cleared = try await console.services.apps.stored(story.app).settings
            #expect(!cleared.allowsInAppScripts && cleared.timeZone == nil)
        }
    }

    @Test("CON-10, CON-11: a refused form is 422, keeps what was typed, and says at the field what is wrong")
    func rejected() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            let tries: [(place: String, form: [String: String], error: String, id: String)] = [
                (
                    "general", ["name": "Shop", "timeZone": "Mars/Base"], "'Mars/Base' is not an IANA time zone",
                    "f-timeZone"
                ),
                ("general", ["name": " ", "timeZone": "UTC"], "A name has 1 to 200 characters", "f-name"),
                ("badges", ["maxBadgeCount": "many"], "Write a whole number such as 30", "f-maxBadgeCount"),
                ("badges", ["maxBadgeCount": "10000"], "It is a whole number from 1 to 9999.", "f-maxBadgeCount"),
                (
                    "retention", ["eventRetentionDays": "0"], "It is a whole number from 1 to 3650.",
                    "f-eventRetentionDays"
                ),
                (
                    "retention", ["deliveryRetentionDays": "59"], "It is a whole number from 60 to 3650.",
                    "f-deliveryRetentionDays"
                ),
                (
                    "retention", ["dormantAfterDays": "29"], "It is a whole number from 30 to 3650.",
                    "f-dormantAfterDays"
                ),
                (
                    "websites", ["allowedOrigins": "https://a.example\nno origin"], "An origin is scheme:",
                    "f-allowedOrigins"
                ),
                ("identity", ["identity": "verified"], "identity &#39;verified&#39; needs openID", "f-openID.issuer"),
                (
                    "identity", ["identity": "open", "openID.issuer": "https://id.example"],
                    "Fill this in too", "f-openID.audience"
                ),
                (
                    "identity",
                    ["identity": "open", "openID.issuer": "i", "openID.audience": "a", "openID.jwks": "{nope"],
                    "This is not a key set.", "f-openID.jwks"
                ),
            ]
            for attempt in tries {
                let page = "\(Self.base)/\(attempt.place)"
                var form = attempt.form
                form["version"] = try await admin.get(page).hidden("version")
                let answer = try await admin.submit(page, form)
                #expect(answer.status == .unprocessableContent, "\(attempt)")
                let text = answer.text.replacing("&#39;", with: "'")
                #expect(text.contains(attempt.error.replacing("&#39;", with: "'")), "\(attempt)")
                #expect(answer.text.contains("id=\"\(attempt.id)-error\""), "\(attempt)")
                for typed in attempt.form.values where !typed.contains("\n") && typed != "open" && typed != "verified" {
                    #expect(text.contains(typed), "\(attempt)")
                }
            }
            #expect(try await console.services.apps.stored(story.app).settings == story.app.settings)
        }
    }

    @Test("CON-10: two people change the same setting: the second is told, sees both, and may then replace it")
    func conflict() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let anna = try await console.visitor(as: "anna", roles: [story.app.id: .admin])
            let ben = try await console.visitor(as: "ben", roles: [story.app.id: .admin])
            let page = "\(Self.base)/badges"
            let seen = try await anna.get(page).hidden("version")
            #expect(try await ben.submit(page, ["version": seen, "maxBadgeCount": "40"]).status == .seeOther)
            let refused = try await anna.submit(page, ["version": seen, "maxBadgeCount": "70"])
            #expect(refused.status == .conflict && refused.text.contains("Somebody else has changed these settings"))
            #expect(refused.text.contains("value=\"70\"") && refused.text.contains("<code>40</code>"))
            #expect(try await console.services.apps.stored(story.app).settings.maxBadgeCount == 40)
            let again = ["version": refused.hidden("version"), "maxBadgeCount": "70"]
            #expect(try await anna.submit(page, again).status == .seeOther)
            #expect(try await console.services.apps.stored(story.app).settings.maxBadgeCount == 70)
        }
    }

    @Test("CON-10: changes of two pages of settings are no conflict")
    func otherPage() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            let seen = try await admin.get("\(Self.base)/badges").hidden("version")
            let retention = "\(Self.base)/retention"
            _ = try await admin.submit(
                retention,
                [
                    "version": try await admin.get(retention).hidden("version"), "eventRetentionDays": "30",
                    "deliveryRetentionDays": "90", "dormantAfterDays": "60",
                ]
            )
            let answer = try await admin.submit("\(Self.base)/badges", ["version": seen, "maxBadgeCount": "9"])
            #expect(answer.status == .seeOther)
            let settings = try await console.services.apps.stored(story.app).settings
            #expect(settings.eventRetentionDays == 30 && settings.maxBadgeCount == 9)
            #expect(settings.dormantAfterDays == 60 && settings.deliveryRetentionDays == 90)
        }
    }

    @Test("CON-10: a whole identity provider is stored from the form and shown again as it is")
    func provider() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            let page = "\(Self.base)/identity"
            let keys = """
                {"keys":[{"kty":"EC","crv":"P-256","alg":"ES256","kid":"a",
                "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
                """
            let answer = try await admin.submit(
                page,
                [
                    "version": try await admin.get(page).hidden("version"), "identity": "verified",
                    "anonymousContacts": "yes", "openID.issuer": "https://id.example", "openID.audience": "shop",
                    "openID.jwks": keys, "contactFields": "email\nphone",
                ]
            )
            #expect(answer.status == .seeOther, "\(answer.text)")
            let settings = try await console.services.apps.stored(story.app).settings
            #expect(settings.openID?.claim == "sub" && settings.identityMode == .verified)
            #expect(settings.contactFields == ["email", "phone"] && settings.allowsAnonymousContacts)
            let shown = try await admin.get(page)
            #expect(shown.text.contains("https://id.example") && shown.text.contains("email\nphone"))
            // Saved as it is shown, nothing changes.
            let stored = SettingsForm(.identity, of: try await console.services.apps.stored(story.app))
            let same = stored.texts.merging(["version": shown.hidden("version")]) { first, _ in first }
            #expect(try await admin.submit(page, same).status == .seeOther)
            #expect(try await console.services.apps.stored(story.app).settings == settings)
        }
    }

    @Test(
        "CON-10, WEB-1: websites see the public key and the lines to paste; without a key pair the page says what to do"
    )
    func website() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            #expect(try await admin.get("\(Self.base)/websites").text.contains("no key pair for Web Push yet"))
            let facts = try await console.services.apps.makeWebPushCredentials(
                subject: "mailto:ops@example.com", trustRoots: nil, app: story.app
            )
            let page = try await admin.get("\(Self.base)/websites").text
            #expect(page.contains(facts.publicKey))
            // Without a public address they name the server as this browser does.
            let lines = BrowserSDK(version: "1.2.3").lines(server: "http://localhost", app: "shop")
            for text in [lines.page, lines.worker, lines.policy] {
                #expect(page.contains(HTMLEscaping.escaped(text)), "\(text)")
            }
        }
    }

    @Test("CON-10, WEB-1: lines to copy name the public address of the server, or else the one by which it was called")
    func serverAddress() {
        func address(_ host: String?, publicURL: String? = nil, servesTLS: Bool = false) -> String {
            ConsoleSettings(publicURL: publicURL, servesTLS: servesTLS, version: "1").serverAddress(host: host)
        }
        #expect(address("127.0.0.1:8080") == "http://127.0.0.1:8080")
        #expect(address("[::1]:8443", servesTLS: true) == "https://[::1]:8443")
        #expect(address("10.0.0.1", publicURL: "https://push.example.org") == "https://push.example.org")
        // What is no host stands in nobody's lines.
        let long = String(repeating: "a", count: 256)
        for host in [nil, "", "a\"b", "shop.example/x", "a b", "b\u{fc}cher.example", "user@shop.example", long] {
            #expect(address(host) == "https://belfry.example.com", "\(host ?? "none")")
        }
    }
}

extension TestConsole {
    /// The newest lines of the audit log.
    func lines() async throws -> [AuditLog.Entry] {
        try await services.access.log.list(matching: AuditLog.Search(), before: nil, limit: 100).entries
    }
}
