import BelfryModel
import BelfryServices
import Crypto
import Testing

@testable import BelfryConsole

@Suite("CON-10, SEC-1: credentials of push services")
struct CredentialStoryTests {
    private static let page = "/console/apps/shop/settings/credentials"

    private static func form(_ key: String, version: String = "none") -> [String: String] {
        [
            "version": version, "teamId": "TEAM123456", "keyId": "KEY1234567", "topic": "com.example.shop",
            "privateKey": key,
        ]
    }

    @Test("CON-10: credentials are added, checked, replaced and removed, and no page shows a secret")
    func story() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, hasCredentials: false)
            let admin = try await story.person(.admin)
            #expect(try await admin.get(Self.page).text.contains("belfry app credentials apns shop"))
            let key = P256.Signing.PrivateKey().pemRepresentation
            let secret = String(key.split(separator: "\n")[1])
            #expect(try await admin.submit("\(Self.page)/apns/save", Self.form(key)).status == .seeOther)
            let shown = try await admin.get(Self.page)
            #expect(shown.text.contains("Sends as com.example.shop with the key KEY1234567 of the team TEAM123456."))
            #expect(!shown.text.contains(secret))
            let checked = try await admin.submit("\(Self.page)/apns/check")
            #expect(checked.status == .ok && checked.text.contains("APNs accepts these credentials."))
            let version = try #require(try await console.services.apps.credentials(of: story.app).apns).revision.text
            var other = Self.form(P256.Signing.PrivateKey().pemRepresentation, version: version)
            other["topic"] = "com.example.other"
            #expect(try await admin.submit("\(Self.page)/apns/save", other).status == .seeOther)
            let question = try await admin.get("\(Self.page)/apns/remove")
            #expect(question.text.contains("Sends as com.example.other") && !question.text.contains(secret))
            let late = try await admin.submit("\(Self.page)/apns/remove", ["version": version])
            #expect(late.status == .conflict)
            let removed = try await admin.submit(
                "\(Self.page)/apns/remove", ["version": question.hidden("version")])
            #expect(removed.status == .seeOther)
            #expect(try await console.services.apps.credentials(of: story.app).apns == nil)
            let lines = try await console.lines()
            #expect(
                lines.map(\.action) == [
                    "credentials.remove", "credentials.put", "credentials.check", "credentials.put",
                ])
            #expect(lines.allSatisfy { $0.target == "apns" && $0.actor == "user:admin" })
        }
    }

    @Test("CON-10: a refused form keeps what was typed but the secret, with the error at its field")
    func rejected() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, hasCredentials: false)
            let admin = try await story.person(.admin)
            let wrong = "-----BEGIN PRIVATE KEY-----\nnot-a-key-but-a-secret\n-----END PRIVATE KEY-----"
            let answer = try await admin.submit("\(Self.page)/apns/save", Self.form(wrong))
            #expect(answer.status == .unprocessableContent && answer.text.contains("id=\"f-apns-privateKey-error\""))
            #expect(
                answer.text.contains("value=\"com.example.shop\"") && !answer.text.contains("not-a-key-but-a-secret"))
            #expect(answer.text.contains("Paste the secret again"))
            for provider in ["fcm", "webpush"] {
                let field = provider == "fcm" ? "serviceAccount" : "privateKey"
                let answer = try await admin.submit(
                    "\(Self.page)/\(provider)/save",
                    ["version": "none", field: "some-secret-text", "subject": "mailto:a@b.c"])
                #expect(answer.status == .unprocessableContent, "\(provider)")
                #expect(!answer.text.contains("some-secret-text"), "\(provider)")
                #expect(answer.text.contains("id=\"f-\(provider)-\(field)-error\""), "\(provider)")
            }
        }
    }

    @Test("CON-10: whoever began from other credentials is told of those that are stored now, and stores nothing")
    func conflict() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            var mine = Self.form(P256.Signing.PrivateKey().pemRepresentation)
            mine["topic"] = "com.example.mine"
            let answer = try await admin.submit("\(Self.page)/apns/save", mine)
            #expect(answer.status == .conflict && answer.text.contains("Somebody else has changed these credentials"))
            #expect(
                answer.text.contains("Sends as com.example.shop") && answer.text.contains("value=\"com.example.mine\""))
            #expect(try await console.services.apps.credentials(of: story.app).apns?.facts?.topic == "com.example.shop")
        }
    }

    @Test("CON-10: the server makes a key pair for browsers when none is typed, and only the first time")
    func webPush() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, hasCredentials: false)
            let admin = try await story.person(.admin)
            let form = ["version": "none", "subject": "mailto:ops@example.com", "privateKey": ""]
            #expect(try await admin.submit("\(Self.page)/webpush/save", form).status == .seeOther)
            let made = try #require(try await console.services.apps.credentials(of: story.app).webpush)
            #expect(try await admin.submit("\(Self.page)/webpush/save", form).status == .conflict)
            let again = form.merging(["version": made.revision.text]) { $1 }
            #expect(try await admin.submit("\(Self.page)/webpush/save", again).status == .unprocessableContent)
            #expect(try await console.services.apps.credentials(of: story.app).webpush == made)
            let checked = try await admin.submit("\(Self.page)/webpush/check").text
            #expect(checked.contains("so nobody can check it"))
            #expect(
                try await admin.get("\(Self.page)/webpush/remove").text.contains("All subscriptions of browsers end"))
        }
    }

    @Test("CON-10: what a push service answers is a sentence with what to do")
    func results() {
        let rejected = CredentialWords.result(.rejected(reason: "InvalidProviderToken"), of: .apns)
        #expect(!rejected.isGood && rejected.sentence.contains("Check the key, its id and the team id"))
        let unknown = CredentialWords.result(.unknown(reason: "no connection"), of: .fcm)
        #expect(!unknown.isGood && unknown.sentence.hasPrefix("FCM did not confirm"))
        #expect(CredentialWords.result(.unreadable, of: .apns).sentence.contains("Enter them again."))
        for provider in PushProvider.allCases {
            #expect(CredentialWords.result(.accepted, of: provider).isGood)
            let other = CredentialWords.result(.rejected(reason: "SomethingNew"), of: provider)
            #expect(other.sentence.contains("'SomethingNew'"))
        }
    }
}
