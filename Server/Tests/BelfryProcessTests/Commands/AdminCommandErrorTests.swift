import BelfryAPI
import Foundation
import Testing

@Suite("Commands over the admin API that fail")
struct AdminCommandErrorTests {
    private static let key = ["BELFRY_ADMIN_KEY": "a-key-that-is-nobodys-0123456789abcdef"]
    /// An address where no server listens.
    private static let nowhere = "http://127.0.0.1:9"

    @Test(
        "CLI-4: an invalid address is reported with its origin, before anything is sent", .timeLimit(.minutes(10)),
        arguments: [
            "localhost:8080", "belfry.example", "ftp://127.0.0.1", "http://", "http://127.0.0.1:70000",
            "http://127.0.0.1/?a=b", "http://a b", "",
        ]
    )
    func address(text: String) async throws {
        try await withStage { stage in
            let said = try await stage.command(["app", "list", "--server", text], environment: Self.key)
            said.expectError(64, naming: ["--server is '\(text)'", "http://127.0.0.1:8080"])
            guard !text.isEmpty else { return }
            let inherited = try await stage.command(["app", "list"], at: text, environment: Self.key)
            inherited.expectError(64, naming: ["BELFRY_SERVER is '\(text)'", "http://127.0.0.1:8080"])
        }
    }

    @Test("CLI-4: a server that does not respond is reported at once, with what to check", .timeLimit(.minutes(10)))
    func nobodyListens() async throws {
        try await withStage { stage in
            let outcome = try await stage.command(["app", "create", "shop"], at: Self.nowhere, environment: Self.key)
            outcome.expectError(1, naming: [Self.nowhere, "refused", "belfry serve"])
            #expect(!outcome.errors.contains("may have been made"), "nothing can have been done")
        }
    }

    @Test(
        "CLI-4, ADM-1: a missing, unreadable or wrong key is reported with its origin",
        .timeLimit(.minutes(10))
    )
    func keys() async throws {
        try await withStage { stage in
            func outcome(_ file: String?, _ environment: [String: String] = [:]) async throws -> CommandOutcome {
                let option = file.map { ["--key-file", $0] } ?? []
                return try await stage.command(["app", "list"] + option, at: Self.nowhere, environment: environment)
            }
            let usual = stage.dataDirectory.appending(path: "admin-key").path
            try await outcome(nil).expectError(1, naming: ["BELFRY_ADMIN_KEY", "--key-file", usual])
            let missing = stage.folder.appending(path: "nothing").path
            try await outcome(missing, Self.key).expectError(1, naming: [missing, "--key-file", "does not exist"])
            let folder = stage.folder.path
            try await outcome(folder).expectError(1, naming: [folder, "--key-file", "folder"])
            let strange = try stage.file("strange", "not a key\n")
            try await outcome(strange).expectError(1, naming: [strange, "no admin key"])
            try await outcome(nil, ["BELFRY_ADMIN_KEY": "a\nb"]).expectError(1, naming: ["BELFRY_ADMIN_KEY"])

            try await stage.withServer { server in
                func wrong(_ file: String?, _ environment: [String: String]) async throws -> CommandOutcome {
                    let option = file.map { ["--key-file", $0] } ?? []
                    return try await stage.command(
                        ["app", "list"] + option, at: server.address, environment: environment)
                }
                try await wrong(nil, Self.key).expectError(1, naming: ["(401)", "from BELFRY_ADMIN_KEY"])
                let other = try stage.file("other-key", String(repeating: "wrong", count: 8))
                try await wrong(other, [:]).expectError(1, naming: ["(401)", "the file \(other)"])
                #expect(try await wrong(usual, Self.key).exit == .code(0), "the option wins")
            }
        }
    }

    @Test(
        "CLI-4: a missing or wrong file is reported, with the place and before anything is sent",
        .timeLimit(.minutes(10)),
        arguments: [
            ("app settings shop --set-file", "{\n  \"identity\": \"open\",\n}", ["--set-file", "line 3, column 1"]),
            ("app settings shop --set-file", "", ["--set-file", "line 1, column 1"]),
            ("app settings shop --openid-jwks", "{\"keys\": [}", ["--openid-jwks", "line 1, column 11"]),
            ("app settings shop --openid-jwks", "{\"keys\": [{\"kid\": \"a\"}]}", ["--openid-jwks", "keys[0].kty"]),
            (
                "app settings shop --openid-jwks", "{\"keys\": [{\"kty\": \"EC\", \"d\": \"c2VjcmV0\"}]}",
                ["--openid-jwks", "private key", "keys[0].d"]
            ),
            (
                "campaign create shop --title a --body b --audience-file", "{\"tag\": \"a\"\n\"b\"}",
                ["--audience-file", "line 2, column 1"]
            ),
            ("campaign create shop --file", "{\"name\": }", ["--file", "line 1, column 10"]),
            ("app apns shop --team-id T --key-id K --topic a --key", "\u{0}", ["Cannot connect"]),
            ("app credentials fcm shop --service-account", "{}", ["Cannot connect"]),
            ("app credentials webpush shop --subject mailto:a@b.c --key", "AAAA", ["Cannot connect"]),
        ]
    )
    func files(command: String, text: String, words: [String]) async throws {
        try await withStage { stage in
            let arguments = command.split(separator: " ").map(String.init)
            let file = try stage.file("input", text)
            let outcome = try await stage.command(arguments + [file], at: Self.nowhere, environment: Self.key)
            outcome.expectError(1, naming: words)
            #expect(!outcome.errors.contains("c2VjcmV0"), "a secret is never shown")
            let missing = stage.folder.appending(path: "nothing").path
            let absent = try await stage.command(arguments + [missing], at: Self.nowhere, environment: Self.key)
            let option = try #require(arguments.last)
            absent.expectError(1, naming: [missing, option, "does not exist"])
        }
    }

    @Test(
        "CLI-4: invalid options are a usage error", .timeLimit(.minutes(10)),
        arguments: [
            (["campaign", "create", "shop", "--title", "a", "--body", "b", "--audience", #"{"tag":}"#], "column 8"),
            (
                ["campaign", "create", "shop", "--title", "a", "--body", "b", "--tag", "a", "--audience", "{}"],
                "one of"
            ),
            (["app", "settings", "shop", "--identity", "maybe"], "verified"),
            (["app", "settings", "shop", "--reset", "colour"], "maxBadgeCount"),
            (["app", "settings", "shop", "--max-badge-count", "5", "--reset", "maxBadgeCount"], "maxBadgeCount"),
            (["app", "settings", "shop", "--set-file", "-", "--max-badge-count", "5"], "not both"),
            (["contact", "show", "shop", ""], "empty"), (["contact", "list", "shop", "--limit", "0"], "--limit"),
            (["device", "events", "shop", "a", "--attribute", "city"], "NAME=VALUE"),
        ]
    )
    func usage(arguments: [String], word: String) async throws {
        try await withStage { stage in
            let outcome = try await stage.command(arguments, at: Self.nowhere, environment: Self.key)
            outcome.expectError(64, naming: [word])
        }
    }

    @Test(
        "CLI-4, CAMP-3: an audience is sent unchanged, and unknown fields are refused",
        .timeLimit(.minutes(10))
    )
    func audience() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let command = ["campaign", "create", "shop", "--title", "a \"b\"", "--body", "c", "--audience"]
                // Without its limit it would reach more people than it says.
                let unknown = try await stage.command(
                    command + [#"{"all":[{"tag":"a","within":"P1D"}]}"#], at: server.address
                )
                unknown.expectError(1, naming: ["(422)", "'within'", "[audience.all[0].within]"])
                let made: CampaignStatusResponse = try await stage.answer(
                    command + [#"{"tag":"a"}"#], at: server.address
                )
                let campaign = try await stage.admin(server).campaign(made.id)
                #expect(campaign.audience == .tag("a"))
                #expect(campaign.push?.title == "a \"b\"")
            }
        }
    }

    @Test(
        "CLI-4, ADM-3: a write without a response is repeated and done once; after a second loss the result is unknown",
        .timeLimit(.minutes(10))
    )
    func lostAnswers() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await LosingProxy.run(before: server, losing: 1) { proxy in
                    // Asked again under another name, the app would be there already: 409.
                    let made: CreateAppResponse = try await stage.answer(["app", "create", "shop"], at: proxy.address)
                    #expect(made.code == "shop" && !made.apiKey.isEmpty)
                }
                try await LosingProxy.run(before: server, losing: 2) { proxy in
                    let lost = try await stage.command(["app", "create", "other"], at: proxy.address)
                    lost.expectError(1, naming: [proxy.address, "lost", "may have been made"])
                }
                try await LosingProxy.run(before: server, losing: 1) { proxy in
                    let listed: AppListResponse = try await stage.answer(["app", "list"], at: proxy.address)
                    #expect(listed.apps.map(\.code) == ["shop", "other"])
                }
            }
        }
    }
}
