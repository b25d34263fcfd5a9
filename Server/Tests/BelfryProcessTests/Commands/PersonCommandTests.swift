import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@Suite("Commands about people, keys and whole campaigns")
struct PersonCommandTests {
    /// An operator at a server.
    private struct Desk {
        let stage: Stage
        let server: ServerProcess

        func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> CommandOutcome {
            try await stage.command(arguments, at: server.address, environment: environment)
        }

        func answer<Value: Decodable>(_ arguments: String..., as type: Value.Type = Value.self) async throws -> Value {
            try await stage.answer(arguments, at: server.address)
        }
    }

    private static func atDesk(_ body: @Sendable (Desk) async throws -> Void) async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                try await body(Desk(stage: stage, server: server))
            }
        }
    }

    @Test("ADM-6, CLI-7: a key is created, used, listed and revoked", .timeLimit(.minutes(10)))
    func keys() async throws {
        try await Self.atDesk { desk in
            let made: CreateAdminKeyResponse = try await desk.answer(
                "app", "key", "create", "shop", "--scope", "read", "--label", "Reports", "--expires", "2036-12-01"
            )
            let own = ["BELFRY_ADMIN_KEY": made.apiKey]
            let listed = try await desk.run("campaign", "list", "shop", environment: own)
            #expect(listed.exit == .code(0), "\(listed.errors)")
            let rejected = try await desk.run(
                "campaign", "create", "shop", "--title", "a", "--body", "b", environment: own
            )
            rejected.expectError(1, naming: ["(403)", "campaign"])
            let table = try await desk.run("app", "key", "list", "shop")
            #expect(table.output.contains("Reports") && table.output.contains("2036-12-01T00:00:00.000Z"))
            #expect(!table.output.contains(made.apiKey))
            let revoked = try await desk.run("app", "key", "revoke", "shop", made.id)
            #expect(revoked.exit == .code(0), "\(revoked.errors)")
            let ended = try await desk.run("campaign", "list", "shop", environment: own)
            ended.expectError(1, naming: ["(401)", "BELFRY_ADMIN_KEY"])
            let bad = try await desk.run("app", "key", "create", "shop", "--scope", "root")
            bad.expectError(64, naming: ["scope"])
            let log: AuditListResponse = try await desk.answer("audit", "--app", "shop")
            #expect(log.entries.contains { $0.action == "key.revoke" && $0.target == made.id })
        }
    }

    @Test(
        "ADM-4, ADM-5, ADM-7, CLI-7: a person is found, renamed, merged, exported; a device is found and revoked",
        .timeLimit(.minutes(10))
    )
    func people() async throws {
        try await Self.atDesk { desk in
            let devices = [
                DeviceCaller(server: desk.server, http: desk.stage.http),
                .init(server: desk.server, http: desk.stage.http),
            ]
            try await devices[0].link(to: "ann")
            try await devices[1].link(to: "anna")
            try await devices[0].send([
                WireEvent(
                    id: "e1", type: "custom", name: "tapped", timestamp: Timestamp.text(Date()), attributes: [:]
                )
            ])
            let renamed = try await desk.run("contact", "rename", "shop", "ann", "--to", "ann/2")
            #expect(renamed.exit == .code(0) && renamed.output.contains("'ann/2'"), "\(renamed.errors)")
            let merged: ContactKeyResponse = try await desk.answer(
                "contact", "merge", "shop", "ann/2", "--into", "anna")
            #expect(merged.contactKey == "anna" && merged.devices == 1)
            let found: ContactListResponse = try await desk.answer("contact", "list", "shop", "--prefix", "an")
            #expect(found.contacts.map(\.contactKey) == ["anna"])
            let contact = try await desk.run("contact", "show", "shop", "ann/2")
            #expect(contact.properties["former keys"] == "ann, ann/2", "\(contact.output)")
            let list: DeviceListResponse = try await desk.answer("device", "list", "shop", "--contact", "ann")
            #expect(Set(list.devices.map(\.deviceId)) == Set(devices.map(\.id)))
            try await Self.export(desk, devices)
            let revoked = try await desk.run("device", "revoke", "shop", devices[0].id)
            #expect(revoked.exit == .code(0), "\(revoked.errors)")
            let rest: DeviceListResponse = try await desk.answer("device", "list", "shop", "--contact", "anna")
            #expect(rest.devices.map(\.deviceId) == [devices[1].id])
        }
    }

    private static func export(_ desk: Desk, _ devices: [DeviceCaller]) async throws {
        let file = desk.stage.folder.appending(path: "anna.json")
        let written = try await desk.run("export", "shop", "anna", "--output", file.path)
        #expect(written.exit == .code(0) && written.output.contains(file.path), "\(written.errors)")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let printed = try await desk.run("export", "shop", "ann")
        for text in [try String(contentsOf: file, encoding: .utf8), printed.output] {
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            )
            #expect((document["devices"] as? [[String: Any]])?.count == 2)
            #expect((document["events"] as? [[String: Any]])?.compactMap { $0["id"] as? String } == ["e1"])
        }
        let unknown = try await desk.run("export", "shop", "nobody", "--output", file.path)
        unknown.expectError(1, naming: ["(404)", "nobody"])
        #expect(!FileManager.default.fileExists(atPath: file.path + ".part"))
        #expect(FileManager.default.fileExists(atPath: file.path), "what was there before stays")
        let nowhere = try await desk.run("export", "shop", "anna", "--output", "/nowhere/anna.json")
        nowhere.expectError(1, naming: ["/nowhere/anna.json", "--output"])
    }

    @Test(
        "CLI-7, LED-5: a campaign is shown whole, made again from its JSON, tested in a message center, and explained",
        .timeLimit(.minutes(10))
    )
    func campaigns() async throws {
        try await Self.atDesk { desk in
            let device = DeviceCaller(server: desk.server, http: desk.stage.http)
            try await device.link(to: "anna")
            let made: CampaignStatusResponse = try await desk.answer(
                "campaign", "create", "shop", "--title", "Bill", "--body", "Here", "--without-push", "--at",
                "2036-12-01T09:00:00Z"
            )
            let shown = try await desk.run("campaign", "show", "shop", made.id)
            #expect(shown.properties["messageCenter.subject"] == "Bill", "\(shown.output)\(shown.errors)")
            #expect(shown.properties["schedule.at"] == "2036-12-01T09:00:00.000Z")
            #expect(shown.properties["audience"] == #"{"everyone":true}"#)
            let json = try await desk.run("campaign", "show", "shop", made.id, "--json")
            let file = try desk.stage.file("bill.json", json.output)
            let copy: CampaignStatusResponse = try await desk.answer("campaign", "create", "shop", "--file", file)
            let updated = try await desk.run("campaign", "update", "shop", copy.id, "--file", file)
            #expect(updated.exit == .code(0), "\(updated.errors)")
            let test = try await desk.run("campaign", "test", "shop", copy.id, "--device", device.id)
            #expect(test.output.contains("being placed in the message center 'Primary'"), "\(test.errors)")
            let explained = try await desk.run("explain", "shop", "--campaign", copy.id, "--contact", "anna")
            #expect(explained.output.contains("Device \(device.id)"), "\(explained.output)\(explained.errors)")
            #expect(explained.output.contains("Nothing of it is in the contact's message center 'Primary'."))
            let both = try await desk.run("explain", "shop", "--campaign", "1", "--contact", "a", "--device", "b")
            both.expectError(64, naming: ["--device", "--contact"])
        }
    }

    @Test(
        "CLI-7, IAM-5: priority, conditions, occurrence, delay and variants of an in-app message are options",
        .timeLimit(.minutes(10))
    )
    func inApp() async throws {
        try await Self.atDesk { desk in
            let variants = try desk.stage.file("variants.json", #"{"fr":{"title":"Merci"}}"#)
            let made: CampaignStatusResponse = try await desk.answer(
                "campaign", "create", "shop", "--title", "Thanks", "--trigger", "purchase", "--where",
                #"{"attribute":"total","op":">","value":50}"#, "--occurrence", "2", "--delay", "10", "--priority", "5",
                "--variants", variants
            )
            let campaign: CampaignResponse = try await desk.answer("campaign", "show", "shop", made.id)
            let message = try #require(campaign.inApp)
            #expect(
                message.trigger
                    == InAppTrigger(event: "purchase", filter: .attribute("total", .greater(50)), occurrence: 2)
            )
            #expect(message.delaySeconds == 10 && message.priority == 5)
            #expect(message.variants?["fr"]?.title == "Merci" && message.content.title == "Thanks")
            let bad = try await desk.run(
                "campaign", "create", "shop", "--title", "a", "--type", "modal", "--where", "{")
            bad.expectError(64, naming: ["--where"])
            let unknown = try await desk.run(
                "campaign", "create", "shop", "--title", "a", "--type", "modal", "--where",
                #"{"attribute":"total","op":">","valu":50}"#
            )
            unknown.expectError(1, naming: ["inApp.trigger.where"])
        }
    }
}
