import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import BelfryWire
import Crypto
import Foundation
import Testing

@Suite("Commands over the admin API")
struct AdminCommandTests {
    @Test(
        "CLI-4, ADM-2: settings are shown with their defaults, merged by options and by files, and reset",
        .timeLimit(.minutes(10))
    )
    func settings() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let command = ["app", "settings", "shop"]
                let shown = try await stage.command(command, at: server.address)
                #expect(shown.exit == .code(0), "\(shown.errors)")
                #expect(shown.properties["identity"] == "open")
                #expect(shown.properties["maxBadgeCount"] == "99")

                let options =
                    "--anonymous-contacts false --max-badge-count 7 --time-zone Europe/Paris --event-retention-days 30 "
                    + "--delivery-retention-days 90 "
                    + "--dormant-after-days 60 --in-app-scripts true --requires-approval true --contact-field 3 email --allowed-origin https://a.example https://b.example"
                let changed: AppSettingsResponse = try await stage.answer(
                    command + options.split(separator: " ").map(String.init), at: server.address
                )
                var expected = AppSettings()
                expected.anonymousContacts = false
                expected.maxBadgeCount = 7
                expected.timeZone = "Europe/Paris"
                expected.eventRetentionDays = 30
                expected.deliveryRetentionDays = 90
                expected.dormantAfterDays = 60
                expected.inAppScripts = true
                expected.requiresApproval = true
                expected.contactFields = ["3", "email"]
                expected.allowedOrigins = ["https://a.example", "https://b.example"]
                #expect(changed == AppSettingsResponse(expected))

                try await changeByFiles(expected, stage, at: server.address)
            }
        }
    }

    /// The settings in force are changed by files and reset.
    private func changeByFiles(_ settings: AppSettings, _ stage: Stage, at address: String) async throws {
        let command = ["app", "settings", "shop"]
        var expected = settings
        let file = try stage.file("settings.json", #"{"timeZone": null, "maxBadgeCount": 8}"#)
        let merged: AppSettingsResponse = try await stage.answer(
            command + ["--set-file", "-"], at: address, input: file
        )
        expected.timeZone = nil
        expected.maxBadgeCount = 8
        #expect(merged == AppSettingsResponse(expected))

        let reset: AppSettingsResponse = try await stage.answer(
            command
                + [
                    "contactFields", "maxBadgeCount", "deliveryRetentionDays", "dormantAfterDays", "inAppScripts",
                    "requiresApproval",
                ]
                .flatMap { ["--reset", $0] },
            at: address
        )
        expected.contactFields = nil
        expected.maxBadgeCount = nil
        expected.deliveryRetentionDays = nil
        expected.dormantAfterDays = nil
        expected.inAppScripts = nil
        expected.requiresApproval = nil
        #expect(reset == AppSettingsResponse(expected))

        // Its output can be edited and used as input.
        let printed = try await stage.command(command + ["--json"], at: address)
        let edited = try stage.file("edited.json", printed.output.replacing("30", with: "31"))
        let again: AppSettingsResponse = try await stage.answer(
            command + ["--set-file", edited], at: address
        )
        expected.eventRetentionDays = 31
        #expect(again == AppSettingsResponse(expected))
    }

    @Test(
        "CLI-4, ID-3: absent parts of the identity provider stay; every refused setting is named",
        .timeLimit(.minutes(10))
    )
    func identityProvider() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let command = ["app", "settings", "shop"]
                let early = try await stage.command(command + ["--openid-claim", "email"], at: server.address)
                early.expectError(64, naming: ["--openid-issuer", "--openid-jwks"])

                let keys = try stage.file("keys.json", try Self.publicKeys())
                let verified: AppSettingsResponse = try await stage.answer(
                    command + [
                        "--identity", "verified", "--openid-issuer", "https://id.example", "--openid-audience", "shop",
                        "--openid-jwks", keys,
                    ], at: server.address
                )
                #expect(verified.identity == .verified)
                var provider = try #require(verified.openID)
                #expect(provider.issuer == "https://id.example" && provider.claim == "sub")
                #expect(provider.jwks.keys.map(\.kid) == ["k1"])
                let moved: AppSettingsResponse = try await stage.answer(
                    command + ["--openid-audience", "other"], at: server.address
                )
                provider.audience = "other"
                #expect(moved.openID == provider)

                let rejected = try await stage.command(
                    command + ["--max-badge-count", "0", "--time-zone", "Nowhere", "--reset", "openID"],
                    at: server.address
                )
                rejected.expectError(1, naming: ["(422)", "[maxBadgeCount]", "[timeZone]", "[openID]"])
                let after: AppSettingsResponse = try await stage.answer(command, at: server.address)
                #expect(after == moved)
            }
        }
    }

    @Test("CLI-4, REG-25: attributes are defined, and listed by name with their types", .timeLimit(.minutes(10)))
    func attributes() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let list = ["app", "attributes", "shop"]
                let before: AttributeListResponse = try await stage.answer(list, at: server.address)
                #expect(before.attributes.isEmpty)
                for (key, type) in [("city", "string"), ("age", "number")] {
                    let defined = try await stage.command(["app", "attribute", "shop", key, type], at: server.address)
                    #expect(defined.output == "Defined '\(key)' as \(type).\n", "\(defined.errors)")
                }
                let after: AttributeListResponse = try await stage.answer(list, at: server.address)
                let expected = [AttributeDefinition(key: "age", type: .number), .init(key: "city", type: .string)]
                #expect(after.attributes == expected)
                let shown = try await stage.command(list, at: server.address)
                #expect(shown.properties["age"] == "number", "\(shown.output)\(shown.errors)")
                #expect(shown.properties["city"] == "string")
                try await stage.command(["app", "attributes", "nowhere"], at: server.address)
                    .expectError(1, naming: ["(404)", "'nowhere'"])
            }
        }
    }

    @Test("CLI-4, REG-25: attributes are defined several at once, and removed", .timeLimit(.minutes(10)))
    func attributesInBulk() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let define = ["app", "define-attributes", "shop", "city=string", "a=b=number"]
                let shown = try await stage.command(define, at: server.address)
                #expect(shown.properties["a=b"] == "number", "\(shown.output)\(shown.errors)")
                #expect(shown.properties["city"] == "string")
                try await stage.command(
                    ["app", "define-attributes", "shop", "shoe=number", "status=string"], at: server.address
                )
                .expectError(1, naming: ["(422)", "attributes[1].key", "'status'"])
                let removed = try await stage.command(["app", "remove-attribute", "shop", "a=b"], at: server.address)
                #expect(removed.output == "The attribute 'a=b' was removed.\n", "\(removed.errors)")
                let left: AttributeListResponse = try await stage.answer(
                    ["app", "attributes", "shop"], at: server.address
                )
                #expect(left.attributes == [AttributeDefinition(key: "city", type: .string)])
                try await stage.command(["app", "remove-attribute", "shop", "a=b"], at: server.address)
                    .expectError(1, naming: ["(404)", "'a=b'"])
            }
        }
    }

    @Test(
        "CLI-4, ADM-3: a device's events are filtered by options and read page by page, without control characters",
        .timeLimit(.minutes(10))
    )
    func device() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let device = DeviceCaller(server: server, http: stage.http)
                try await device.link(to: "anna")
                let count = 1_200
                try await device.send((0..<count).map { Self.event("e\($0)", ["number": .number(Double($0))]) })
                try await device.send([Self.event("odd", ["title": "\u{1b}[2J\nboo"], name: "shown")])

                let shown = try await stage.command(["device", "show", "shop", device.id], at: server.address)
                #expect(shown.exit == .code(0), "\(shown.errors)")
                #expect(shown.properties["contact"] == "anna")
                #expect(shown.properties["push"]?.hasPrefix("not eligible") == true)

                let events = ["device", "events", "shop", device.id]
                let first: DeviceEventsResponse = try await stage.answer(
                    events + ["--name", "tapped", "--limit", "1150"], at: server.address
                )
                #expect(first.events.count == 1_150)
                let rest: DeviceEventsResponse = try await stage.answer(
                    events + ["--name", "tapped", "--limit", "1150", "--cursor", try #require(first.cursor)],
                    at: server.address
                )
                #expect(rest.cursor == nil)
                #expect(Set((first.events + rest.events).map(\.id)) == Set((0..<count).map { "e\($0)" }))
                #expect(rest.events.count == count - 1_150)

                let one: DeviceEventsResponse = try await stage.answer(
                    events + ["--attribute", "number=7", "--from", "2020-01-01T00:00:00+01:00"], at: server.address
                )
                #expect(one.events.map(\.id) == ["e7"])
                let odd = try await stage.command(events + ["--name", "shown"], at: server.address)
                #expect(odd.output.contains(#"title=\u{1b}[2J\u{a}boo"#), "\(odd.output)")
                let some = try await stage.command(events + ["--limit", "2"], at: server.address)
                #expect(some.output.contains("--cursor"))
            }
        }
    }

    @Test(
        "REG-24, REG-36, CLI-4: contacts are listed and shown, an orphan is removed, a person erased",
        .timeLimit(.minutes(10))
    )
    func people() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let devices = [DeviceCaller(server: server, http: stage.http), .init(server: server, http: stage.http)]
                try await devices[0].link(to: "anna/1")
                try await devices[0].send([Self.event("e1")])
                try await devices[1].link(to: "old")
                try await devices[1].link(to: "anna/1")

                let list = ["contact", "list", "shop"]
                let first: ContactListResponse = try await stage.answer(list + ["--limit", "1"], at: server.address)
                let rest: ContactListResponse = try await stage.answer(
                    list + ["--cursor", try #require(first.cursor)], at: server.address
                )
                #expect((first.contacts + rest.contacts).map(\.contactKey) == ["old", "anna/1"])
                #expect(rest.cursor == nil)
                let orphans = try await stage.command(list + ["--orphaned"], at: server.address)
                #expect(orphans.output.contains("\nold ") && !orphans.output.contains("anna/1"), "\(orphans.output)")

                let kept = try await stage.command(["contact", "remove", "shop", "anna/1"], at: server.address)
                kept.expectError(1, naming: ["(409)", "orphan"])
                let removed = try await stage.command(["contact", "remove", "shop", "old"], at: server.address)
                #expect(removed.exit == .code(0) && removed.output.contains("'old'"), "\(removed.errors)")
                let gone = try await stage.command(["contact", "show", "shop", "old"], at: server.address)
                gone.expectError(1, naming: ["(404)", "'old'", "[contact]"])

                let anna = try await stage.command(["contact", "show", "shop", "anna/1"], at: server.address)
                #expect(devices.allSatisfy { anna.output.contains($0.id) }, "\(anna.output)")
                try await erase("anna/1", stage, server)
            }
        }
    }

    /// A typing error, or a script without the option, erases nobody.
    private func erase(_ key: String, _ stage: Stage, _ server: ServerProcess) async throws {
        let command = ["erase", "shop", key]
        let unasked = try await stage.command(command, at: server.address)
        unasked.expectError(64, naming: ["--yes"])
        let hesitant = try Terminal(typing: "\n")
        let declined = try await stage.command(command, at: server.address, input: hesitant.path)
        declined.expectError(1, naming: ["'\(key)'", "2 devices", "Nothing was erased"])
        try hesitant.close()
        let kept: ContactResponse = try await stage.answer(["contact", "show", "shop", key], at: server.address)
        #expect(kept.devices.count == 2)

        let decided = try Terminal(typing: "yes\n")
        let erased: ContactErasureResponse = try await stage.answer(
            command, at: server.address, input: decided.path
        )
        try decided.close()
        #expect(erased.contactKey == key && erased.devices == 2 && erased.events == 1)
        let receipt: ErasureResponse = try await stage.answer(
            ["erasures", "show", "shop", erased.receipt], at: server.address
        )
        #expect(receipt.devices == 2 && receipt.endedAt != nil)
        let again = try await stage.command(command + ["--yes"], at: server.address)
        again.expectError(1, naming: ["(404)", "'\(key)'"])
    }

    private static func event(
        _ id: String, _ attributes: [String: AttributeValue] = [:], name: String = "tapped"
    ) -> WireEvent {
        WireEvent(id: id, type: "custom", name: name, timestamp: Timestamp.text(Date()), attributes: attributes)
    }

    /// The key set of an identity provider.
    private static func publicKeys() throws -> String {
        let point = P256.Signing.PrivateKey().publicKey.rawRepresentation
        let key = JSONWebKey(
            kty: "EC", kid: "k1", crv: "P-256", x: base64URL(point.prefix(32)), y: base64URL(point.suffix(32))
        )
        return String(decoding: try JSONEncoder().encode(JSONWebKeySet(keys: [key])), as: UTF8.self)
    }
}
