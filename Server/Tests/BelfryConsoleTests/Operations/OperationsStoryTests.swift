import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-10: the pages for operators of the server")
struct OperationsStoryTests {
    private static let server = "/console/operations"

    /// Puts a registration into quarantine that is not there any more.
    private func quarantine(_ console: TestConsole, _ subject: WorkSubject, reason: String) async throws {
        let now = console.clock.now
        try await console.database.write { connection in
            try connection.workAttempts.save(
                WorkAttempt(
                    subject: subject, status: .quarantined, attempts: 3, leaseUntil: now, reason: reason, since: now)
            )
        }
    }

    @Test("CON-10: an operator sees readiness, queues, what has stopped, why sends fail, the database and the version")
    func overview() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 2)
            let op = try await console.visitor(as: "op", isOperator: true)
            let calm = try await op.get(Self.server)
            #expect(calm.status == .ok && calm.text.contains("The server takes requests and writes."))
            #expect(
                calm.text.contains("No send has failed since the process started.")
                    && calm.text.contains("<td><bdi>test</bdi> <"))
            #expect(!calm.text.contains("What has stopped") && !calm.text.contains("in quarantine:"))
            let id = try #require(try await story.compose(op))
            try await console.database.write { connection in
                try connection.pause(id, because: "APNs: the topic is wrong.")
                try connection.execute("UPDATE devices SET opt_out_reason = 'provider-authentication'")
            }
            try await quarantine(console, .registration(7), reason: "It failed.")
            console.services.metrics.add(
                3, to: #"belfry_delivery_failures_total{provider="apns",reason="BadDeviceToken"}"#)
            console.services.metrics.add(2, to: #"belfry_connections_ended_total{cause="unread"}"#)
            let page = try await op.get(Self.server).text
            for text in [
                "Paused by the server. APNs: the topic is wrong.", "3 devices wait for right ones",
                "1 piece of work is in quarantine", "<code>BadDeviceToken</code>",
                "a client did not read its responses",
                "rates are known after a quarter of a minute",
            ] { #expect(page.contains(text), "\(text)") }
            #expect(page.contains("/console/apps/shop/campaigns/\(id)\""))
        }
    }

    @Test("SEC-8, CON-10: quarantined work is dropped only after a question, and retried with one press")
    func quarantine() async throws {
        try await TestConsole.run { console in
            let op = try await console.visitor(as: "op", isOperator: true)
            let page = "\(Self.server)/quarantine"
            #expect(try await op.get(page).text.contains("Nothing is in quarantine"))
            for number in [7, 8] as [Int64] {
                try await quarantine(console, .registration(number), reason: "The snapshot cannot be read.")
            }
            let list = try await op.get(page).text
            #expect(list.contains("registration-7") && list.contains("The snapshot cannot be read."))
            let question = try await op.get("\(page)/registration-7/drop")
            #expect(
                question.text.contains("Drop a registration of a device?") && question.text.contains("Drop it for good")
            )
            #expect(try await op.get(page).text.contains("registration-7"), "a question changes nothing")
            #expect(try await op.submit("\(page)/registration-7/drop").status == .seeOther)
            #expect(try await op.submit("\(page)/registration-8/retry").status == .seeOther)
            #expect(try await op.get(page).text.contains("Nothing is in quarantine"))
            #expect(try await op.submit("\(page)/registration-7/drop").status == .notFound)
            let lines = try await console.lines()
            #expect(lines.map(\.action) == ["quarantine.retry", "quarantine.drop"])
            #expect(
                lines.map(\.target) == ["registration-8", "registration-7"]
                    && lines.allSatisfy { $0.actor == "user:op" })
        }
    }

    @Test("CON-10: the audit log is read in sentences, by app, person and action, page after page")
    func audit() async throws {
        try await TestConsole.run { console in
            let app = try await console.services.apps.create(code: "shop", name: "Shop").app
            let op = try await console.visitor(as: "op", isOperator: true)
            let admin = try await console.visitor(as: "anna", roles: [app.id: .admin])
            let page = "\(Self.server)/audit"
            #expect(try await op.get(page).text.contains("Nothing was found"))
            for number in 1...60 {
                let center = "\(Self.settings)/badges"
                _ = try await admin.submit(
                    center, ["version": try await admin.get(center).hidden("version"), "maxBadgeCount": "\(number)"])
            }
            _ = try await op.submit("/console/operations/people/create", ["name": "ben"])
            let root = try await console.services.access.principal(bearer: "root-key-of-a-test-console-0123456789")
            try await console.services.access.audit(root, action: "read", app: app.code, target: "/api/v1/apps")
            let first = try await op.get(page).text
            #expect(
                first.contains("<strong>anna</strong></td><td>changed the settings maxBadgeCount</td><td>shop</td>"))
            #expect(first.contains("<strong>op</strong></td><td>made a person, number"))
            #expect(!first.contains("/api/v1/apps"), "reading is left out")
            #expect(
                try await op.get("\(page)?reads=yes").text.contains(
                    "<strong>The root key</strong></td><td>read /api/v1/apps"))
            let mine = try await op.get("\(page)?person=OP").text
            #expect(mine.contains("made a person, number") && !mine.contains("changed the settings"))
            let made = try await op.get("\(page)?action=user.create&app=shop").text
            #expect(made.contains("Nothing was found") && made.contains("value=\"shop\""))
            let older = try #require(Self.link("Older", in: first))
            let second = try await op.get(older).text
            #expect(second.components(separatedBy: "<tr><td>").count - 1 == 11 && second.contains("To the newest"))
        }
    }

    private static let settings = "/console/apps/shop/settings"

    private static func link(_ title: String, in page: String) -> String? {
        guard let end = page.range(of: "\" rel=\"next\">\(title)</a>") else { return nil }
        let start = page[..<end.lowerBound].range(of: "href=\"", options: .backwards)
        return start.map { String(page[$0.upperBound..<end.lowerBound]).replacing("&amp;", with: "&") }
    }

    @Test("CON-3, CON-10: an operator makes a person, sets a password, ends a session, locks and deletes them")
    func people() async throws {
        try await TestConsole.run { console in
            let app = try await console.services.apps.create(code: "shop", name: "Shop").app
            let op = try await console.visitor(as: "op", isOperator: true)
            let page = "\(Self.server)/people"
            let short = try await op.submit(
                "\(page)/create",
                ["name": "ben", "displayName": "Ben B.", "password": "short-secret", "again": "short"])
            #expect(short.status == .unprocessableContent && short.text.contains("The two passwords differ."))
            #expect(short.text.contains("value=\"Ben B.\"") && !short.text.contains("short-secret"))
            let weak = try await op.submit(
                "\(page)/create", ["name": "ben", "password": "weak-one", "again": "weak-one"])
            #expect(weak.text.contains("A password has 12 to 256 characters.") && !weak.text.contains("weak-one"))
            let made = try await op.submit("\(page)/create", ["name": "Ben", "displayName": "Ben B."])
            let address = try #require(made.headers[.location])
            let twice = try await op.submit("\(page)/create", ["name": "ben"])
            #expect(twice.status == .unprocessableContent && twice.text.contains("There is already a user named"))
            let ben = try await console.services.users.find("ben").user
            try await console.services.users.setRole(.viewer, of: "ben", in: app)
            let browser = console.browser()
            browser.keep(
                "belfry-session", try await console.services.signIn.begin(for: ben.id, agent: "Ben's browser").token)
            let person = try await op.get(address)
            #expect(person.text.contains("Ben&#39;s browser") && person.text.contains("shop"))
            let session = try #require(try await console.services.signIn.sessions(of: ben.id).first)
            #expect(try await op.submit("\(address)/sessions/\(session.id)/end").status == .seeOther)
            #expect(try await browser.get("/console/apps/shop").status == .seeOther)
            let changed = try await op.submit(
                "\(address)/change",
                ["version": person.hidden("version"), "displayName": "Ben C.", "isDisabled": "yes"])
            #expect(changed.status == .seeOther)
            let late = try await op.submit(
                "\(address)/change", ["version": person.hidden("version"), "displayName": "Ben D."])
            #expect(
                late.status == .conflict && late.text.contains("value=\"Ben D.\"")
                    && late.text.contains("<code>Ben C.</code>"))
            #expect(late.text.contains("<code>on</code>"))
            #expect(try await console.services.users.find("ben").user.isDisabled)
            #expect(try await op.get("\(address)/delete").text.contains("They lose 1 role in an app."))
            #expect(try await op.submit("\(address)/delete").status == .seeOther)
            #expect(try await op.get(address).status == .notFound)
            let actions = try await console.lines().map(\.action)
            #expect(actions == ["user.delete", "user.change", "user.session.end", "user.create"])
        }
    }

    @Test("CON-3: a new password signs a person out everywhere, and nobody shuts themselves out")
    func passwords() async throws {
        try await TestConsole.run { console in
            let op = try await console.visitor(as: "op", isOperator: true)
            let me = try await console.services.users.find("op").user
            let ben = try await console.services.users.create(
                name: "ben", displayName: nil, password: nil, isOperator: false, roles: [:])
            let page = "\(Self.server)/people/\(ben.id)"
            #expect(try await op.get(page).text.contains("They have no password"))
            let differ = try await op.submit(
                "\(page)/password", ["password": TestConsole.password, "again": "another long password"])
            #expect(differ.status == .unprocessableContent && !differ.text.contains(TestConsole.password))
            let set = try await op.submit(
                "\(page)/password", ["password": TestConsole.password, "again": TestConsole.password])
            #expect(set.status == .seeOther)
            let browser = console.browser()
            try await browser.signIn("ben")
            #expect(try await browser.get("/console/account").status == .ok)
            let own = "\(Self.server)/people/\(me.id)"
            let locked = try await op.submit(
                "\(own)/change", ["version": try await op.get(own).hidden("version"), "displayName": "op"])
            #expect(locked.status == .unprocessableContent && locked.text.contains("This is your own account"))
            #expect(try await op.submit("\(own)/delete").status == .unprocessableContent)
            #expect(try await op.submit("\(own)/password", ["password": "x"]).status == .unprocessableContent)
            #expect(try await op.get(Self.server).status == .ok)
        }
    }
}
