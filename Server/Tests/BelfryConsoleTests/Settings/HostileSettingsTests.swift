import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@testable import BelfryConsole

@Suite("SEC-4, SEC-7: hostile values on the pages of the settings and of the server")
struct HostileSettingsTests {
    private static let marks = ["", "\u{301}", "\u{200d}", "\u{600}"]

    /// Would end an attribute, an element and a template, whatever stands before it.
    private static func evil(_ mark: String) -> String {
        "\(mark)\"\(mark)>\(mark)<\(mark)script>x\(mark)</script>{{{name}}}'\(mark)"
    }

    @Test("SEC-7: names, labels, reasons and targets come out as text on every page", arguments: marks)
    func everyPage(_ mark: String) async throws {
        let evil = Self.evil(mark)
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            try await Self.fill(console, story.app, evil: evil)
            let op = try await console.visitor(as: "op", isOperator: true)
            let id = try #require(try await story.compose(op, ["name": "Sale"]))
            let key = try #require(
                try await console.services.adminKeys.list(app: story.app, before: nil, limit: 1).keys.first)
            try await console.database.write { try $0.pause(id, because: evil) }
            let ben = try await console.services.users.find("ben").user
            let parts = [
                "{app}": "shop", "{provider}": "apns", "{key}": key.name, "{work}": "registration-7",
                "{user}": String(ben.id),
            ]
            let queries = [
                "/settings/attributes/remove": "?key=\(WireURL.encoded("city"))",
                "/settings/centers/remove": "?name=Offers", "/settings/people/remove": "?user=ben",
                "/operations/audit":
                    "?person=\(WireURL.encoded(evil))&app=\(WireURL.encoded(evil))&action=\(WireURL.encoded(evil))",
            ]
            for route in SettingsPages.routes + OperationsPages.routes where route.method == .get {
                let path = parts.reduce(route.path) { $0.replacing($1.key, with: $1.value) }
                let query = queries.first { path.hasSuffix($0.key) }?.value ?? ""
                let answer = try await op.get("/console\(path)\(query)")
                #expect(answer.status == .ok, "\(path)")
                Self.expectHarmless(answer.text, path)
            }
            let audit = try await op.get("/console/operations/audit?reads=yes").text
            #expect(audit.contains("&lt;"), "the hostile lines are there")
            Self.expectHarmless(audit, "audit")
        }
    }

    @Test("SEC-7: what was typed comes back as text when a form is refused", arguments: marks)
    func typed(_ mark: String) async throws {
        let evil = Self.evil(mark)
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let op = try await console.visitor(as: "op", isOperator: true)
            let base = "/console/apps/shop/settings"
            let forms: [(address: String, form: [String: String])] = [
                ("\(base)/general", ["name": "Shop", "timeZone": evil]), ("\(base)/badges", ["maxBadgeCount": evil]),
                ("\(base)/retention", ["eventRetentionDays": evil]), ("\(base)/websites", ["allowedOrigins": evil]),
                ("\(base)/identity", ["identity": "verified", "openID.issuer": evil, "contactField": evil]),
                ("\(base)/credentials/apns/save", ["teamId": evil, "keyId": evil, "topic": evil, "endpoint": evil]),
                ("\(base)/credentials/webpush/save", ["subject": evil, "trustRoots": evil]),
                ("\(base)/attributes/define", ["definitions": evil]),
                ("\(base)/attributes/change", ["key": evil, "type": evil]),
                ("\(base)/centers/create", ["name": evil, "label": evil]),
                ("\(base)/centers/change", ["center": evil, "label": evil]),
                ("\(base)/centers/remove", ["name": evil]),
                ("\(base)/keys/create", ["label": evil, "scope": evil, "expiresAt": evil]),
                ("\(base)/people/add", ["user": evil, "role": "viewer"]),
                ("\(base)/people/change", ["user": evil, "role": evil]),
                ("/console/operations/people/create", ["name": evil, "displayName": evil]),
            ]
            for (address, form) in forms {
                let answer = try await op.submit(address, form)
                #expect([.unprocessableContent, .notFound, .conflict].contains(answer.status), "\(address)")
                Self.expectHarmless(answer.text, address)
            }
            #expect(try await console.services.apps.stored(story.app) == story.app)
        }
    }

    /// Everything that somebody may name, named by hostile text.
    private static func fill(_ console: TestConsole, _ app: AppService.App, evil: String) async throws {
        let services = console.services
        _ = try await services.apps.changeSettings(AppSettingsChange(), name: evil, of: app)
        _ = try await services.messageCenters.save(
            "Offers", MessageCenterService.Change(label: String(evil.prefix(60))), app: app)
        _ = try await services.adminKeys.create(scope: .read, label: String(evil.prefix(90)), expiresAt: nil, app: app)
        let ben = try await services.users.create(
            name: "ben", displayName: String(evil.prefix(90)), password: nil, isOperator: false, roles: [app.id: .admin]
        )
        _ = try await services.signIn.begin(for: ben.id, agent: evil)
        let root = try await services.access.principal(bearer: "root-key-of-a-test-console-0123456789")
        try await services.access.audit(root, action: evil, app: app.code, target: evil)
        services.metrics.add(1, to: "belfry_connections_ended_total{cause=\"\(evil)\"}")
        services.metrics.add(1, to: "belfry_requests_limited_total{limit=\"\(evil)\"}")
        let now = console.clock.now
        try await console.database.write { connection in
            try connection.workAttempts.save(
                WorkAttempt(
                    subject: .registration(7), app: app.id, status: .quarantined, attempts: 3, leaseUntil: now,
                    reason: evil, since: now)
            )
        }
    }

    /// By bytes: a mark beside a sign would hide it from a search by characters.
    private static func expectHarmless(_ page: String, _ address: String) {
        let bytes = Array(page.utf8)
        for mark in marks where !mark.isEmpty {
            let opened = Array("<\(mark)script".utf8)
            #expect(!bytes.indices.contains { bytes[$0...].starts(with: opened) }, "\(address)")
        }
        let script = Array("<script".utf8)
        for start in bytes.indices where bytes[start...].starts(with: script) {
            let rest = bytes[start...].dropFirst(script.count)
            #expect(rest.starts(with: " type=\"module\" src=".utf8), "\(address)")
        }
        #expect(!bytes.contains(0), "\(address)")
    }
}
