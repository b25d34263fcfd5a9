import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("ADM-1, CON-3: no change of the console without its person, though the process dies right after it")
struct AuditedChangeTests {
    /// A console of which nothing reaches the store but the first write of a form.
    private struct MortalConsole: Sendable {
        let console: TestConsole
        let disk: FillingDisk

        /// What the audit log has of a form behind its first write, with its person.
        func audited(_ browser: Browser, _ path: String, _ form: [String: String] = [:]) async throws -> [String] {
            let before = try await console.lines().count
            var form = form
            form["formToken"] = try await browser.get("/console/account").formToken ?? ""
            disk.fill(after: 1)
            let answer = try await browser.post(path, form)
            disk.isFull = false
            #expect(answer.status == .seeOther, "\(path): \(answer.text.suffix(2_000))")
            return try await console.lines().dropLast(before).map { "\($0.actor) \($0.action) \($0.target ?? "-")" }
        }
    }

    @Test("ADM-1, CON-3: asking for an approval, launching and pausing a campaign")
    func campaigns() async throws {
        let disk = FillingDisk()
        try await TestConsole.run(disk: disk) { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let mortal = MortalConsole(console: console, disk: disk)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let asked = try await mortal.audited(marketer, "\(page)/approval/request", ["version": "1"])
            #expect(asked == ["user:marketer campaign.approval \(id)"])
            let draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            let launched = try await mortal.audited(
                marketer, "\(page)/launch", ["version": try DraftVersion(draft).text]
            )
            #expect(launched == ["user:marketer campaign.launch \(id)"])
            #expect(try await console.services.campaigns.queries.campaign(id, app: story.app).status == .sending)
            #expect(try await mortal.audited(marketer, "\(page)/pause") == ["user:marketer campaign.pause \(id)"])
        }
    }

    @Test("ADM-1, CON-3: an account, a role, a session and a key; of what was made the number may be missing")
    func people() async throws {
        let disk = FillingDisk()
        try await TestConsole.run(disk: disk) { console in
            let app = try await console.services.apps.create(code: "shop", name: "Shop").app
            let op = try await console.visitor(as: "op", isOperator: true)
            let mortal = MortalConsole(console: console, disk: disk)
            let accounts = "/console/operations/people"
            let made = try await mortal.audited(op, "\(accounts)/create", ["name": "ben"])
            #expect(made == ["user:op user.create -"])
            let ben = try await console.services.users.find("ben").user.id
            let role = try await mortal.audited(
                op, "/console/apps/shop/settings/people/add", ["user": "ben", "role": "marketer"]
            )
            #expect(role == ["user:op user.role \(ben)"])
            #expect(try await console.services.users.find("ben").roles == [app.id: .marketer])
            _ = try await console.services.signIn.begin(for: ben, agent: "test")
            let session = try #require(try await console.services.signIn.sessions(of: ben).first)
            let ended = try await mortal.audited(op, "\(accounts)/\(ben)/sessions/\(session.id)/end")
            #expect(ended == ["user:op user.session.end \(ben)"])
            let key = try await console.services.adminKeys.create(
                scope: .read, label: nil, expiresAt: nil, app: app
            ).key
            let revoked = try await mortal.audited(op, "/console/apps/shop/settings/keys/\(key.name)/revoke")
            #expect(revoked == ["user:op key.revoke \(key.name)"])
            #expect(try await mortal.audited(op, "\(accounts)/\(ben)/delete") == ["user:op user.delete \(ben)"])
        }
    }

    @Test("ADM-1, CON-9: an erasure is announced before it begins, and nothing is erased where it cannot be")
    func erasure() async throws {
        let disk = FillingDisk()
        try await TestConsole.run(disk: disk) { console in
            let story = try await PeopleStory(console)
            let admin = try await story.person(.admin)
            let (_, ann) = try await story.login("ann", on: CampaignStory.device(1))
            let address = "\(PeopleStory.list)/\(ann)"
            let token = try await admin.get("/console/account").formToken ?? ""
            func erase() async throws -> HTTPResponse.Status {
                try await admin.post("\(address)/erase", ["key": "ann", "formToken": token]).status
            }
            disk.isFull = true
            #expect(try await erase() == .serviceUnavailable)
            disk.isFull = false
            #expect(try await admin.get(address).status == .ok)
            let rejected = try await story.audited().filter { $0.contains("contact.erase") }
            #expect(rejected.isEmpty)
            // The announcement is the last that it writes.
            disk.fill(after: 1)
            #expect(try await erase() == .serviceUnavailable)
            disk.isFull = false
            #expect(try await admin.get(address).status == .ok)
            #expect(try await story.audited().first == "user:admin contact.erase.begin \(ann)")
        }
    }
}
