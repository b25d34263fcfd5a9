import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Versions, comments and approvals over the admin API")
struct CampaignReviewTests {
    private static let path = "/apps/shop/campaigns/1"

    private static func body(_ title: String) -> String {
        #"{"name":"Sale","kind":"push","audience":{"everyone":true},"push":{"title":"\#(title)","body":"B"}}"#
    }

    private static func message(_ title: String, _ more: String = "") -> String {
        #"{"name":"News","kind":"inApp","audience":{"everyone":true},"inApp":{"type":"modal","#
            + #""trigger":{"event":"session:start"},"content":{"title":"\#(title)"}\#(more)}}"#
    }

    /// A rehearsal that is done, of what the newest version says.
    private static func rehearse(_ server: TestServer, _ number: Int64 = 1) async throws -> Int64 {
        let now = server.clock.now
        return try await server.database.write { connection in
            guard let id = CampaignID(number), let newest = try connection.campaignVersions.newest(of: id)?.number,
                let draft = try connection.campaignVersions.content(newest, of: id)
            else { return 0 }
            let rehearsal = try connection.rehearsals.insert(
                campaign: id, app: 1, version: try DraftVersion(draft).text, now: now
            )
            try connection.execute(
                "UPDATE rehearsals SET status = 'done', ended_at = ? WHERE id = ?", [.date(now), .integer(rehearsal)]
            )
            return rehearsal
        }
    }

    @Test("CON-5: versions are listed, read, compared and restored, with the key that saved each")
    func versions() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let key = try await server.makeKey(["campaign"])
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body("One"))
            _ = try await server.admin(.put, Self.path, Self.body("Two"), key: key)
            let list = try await server.admin(.get, "\(Self.path)/versions").json(CampaignVersionListResponse.self)
            #expect(list.versions.map(\.version) == [2, 1] && list.cursor == nil)
            #expect(list.versions.map(\.author?.type) == [.key, .key] && list.versions[1].author?.name == "root")
            let page = try await server.admin(.get, "\(Self.path)/versions?limit=1")
                .json(CampaignVersionListResponse.self)
            #expect(page.versions.map(\.version) == [2] && page.cursor == "2")
            let rest = try await server.admin(.get, "\(Self.path)/versions?limit=1&cursor=2")
                .json(CampaignVersionListResponse.self)
            #expect(rest.versions.map(\.version) == [1] && rest.cursor == nil)

            let first = try await server.admin(.get, "\(Self.path)/versions/1").json(
                CampaignVersionContentResponse.self)
            #expect(first.content.push?.title == "One" && first.version.isPublished)
            let differences = try await server.admin(.get, "\(Self.path)/versions/2/differences")
                .json(CampaignDifferencesResponse.self)
            let expected = CampaignDifferencesResponse.Part(field: "push.title", old: "One", new: "Two")
            #expect(differences.from == 1 && differences.to == 2 && differences.differences == [expected])
            let back = try await server.admin(.get, "\(Self.path)/versions/1/differences?from=2")
                .json(CampaignDifferencesResponse.self)
            #expect(back.differences.first?.old == "Two" && back.from == 2)

            #expect(try await server.admin(.post, "\(Self.path)/versions/1/restore", key: key).status == .ok)
            let restored = try await server.admin(.get, Self.path).json(CampaignResponse.self)
            #expect(restored.push?.title == "One")
            for path in ["versions/9", "versions/x", "versions/9/differences", "versions/1/differences?from=9"] {
                #expect(try await server.admin(.get, "\(Self.path)/\(path)").status == .notFound, "\(path)")
            }
            let bad = try await server.admin(.get, "\(Self.path)/versions/1/differences?from=x")
            try expectError(bad, .badRequest, "outOfRange", target: "from")
        }
    }

    @Test("CON-5: what a version says is a body that saves the same")
    func contents() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.message("One"))
            let version = try await server.admin(.get, "\(Self.path)/versions/1")
            let content = try JSONEncoder().encode(version.json(CampaignVersionContentResponse.self).content)
            let copy = try await server.admin(.post, "/apps/shop/campaigns", String(decoding: content, as: UTF8.self))
            #expect(copy.status == .created)
            let (one, two) = (
                try await server.admin(.get, Self.path).json(CampaignResponse.self),
                try await server.admin(.get, "/apps/shop/campaigns/2").json(CampaignResponse.self)
            )
            #expect(one.inApp == two.inApp && one.audience == two.audience)
        }
    }

    @Test("CON-5, ADM-7: campaigns are listed by a part of their name, a status and a kind")
    func search() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for body in [Self.body("One"), Self.message("Two"), Self.body("Three")] {
                _ = try await server.admin(.post, "/apps/shop/campaigns", body)
            }
            _ = try await server.admin(.post, "/apps/shop/campaigns/3/cancel")
            func found(_ query: String) async throws -> [String] {
                let answer = try await server.admin(.get, "/apps/shop/campaigns?\(query)")
                return try answer.json(CampaignListResponse.self).campaigns.map(\.id)
            }
            #expect(try await found("name=sAL") == ["3", "1"])
            #expect(try await found("name=sale&status=draft") == ["1"])
            #expect(try await found("kind=inApp") == ["2"])
            #expect(try await found("status=cancelled") == ["3"])
            #expect(try await found("name=%25") == [])
            #expect(try await found("name=&status=&kind=") == ["3", "2", "1"])
            let first = try await server.admin(.get, "/apps/shop/campaigns?name=sale&limit=1")
                .json(CampaignListResponse.self)
            #expect(first.cursor == "3")
            #expect(try await found("name=sale&limit=1&cursor=3") == ["1"])
            for name in ["status", "kind"] {
                let rejected = try await server.admin(.get, "/apps/shop/campaigns?\(name)=nonsense")
                try expectError(rejected, .badRequest, "outOfRange", target: name)
            }
        }
    }

    @Test("CON-5: comments are made, listed and deleted; another key's only with the scope admin")
    func comments() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let (one, two) = (try await server.makeKey(["campaign"]), try await server.makeKey(["campaign"]))
            let reader = try await server.makeKey(["read"])
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body("One"))
            let path = "\(Self.path)/comments"
            let made = try await server.admin(.post, path, #"{"text":"Looks good."}"#, key: one)
            #expect(made.status == .created)
            let comment = try made.json(CampaignCommentResponse.self)
            #expect(comment.text == "Looks good." && comment.author.type == .key)
            _ = try await server.admin(.post, path, #"{"text":"To me, too."}"#, key: two)
            let list = try await server.admin(.get, path, key: reader).json(CampaignCommentListResponse.self)
            #expect(list.comments.map(\.text) == ["To me, too.", "Looks good."])
            try expectError(
                try await server.admin(.post, path, #"{"text":" "}"#), .unprocessableContent, "invalidLength",
                target: "text")
            try expectError(
                try await server.admin(.post, path, #"{"text":"x"}"#, key: reader), .forbidden, "forbidden")
            let address = "\(path)/\(comment.id)"
            try expectError(try await server.admin(.delete, address, key: two), .forbidden, "forbidden")
            #expect(try await server.admin(.delete, address, key: one).status == .noContent)
            #expect(try await server.admin(.delete, address, key: one).status == .notFound)
            #expect(try await server.admin(.delete, "\(path)/\(list.comments[0].id)").status == .noContent)
        }
    }

    @Test("CON-5: where an app asks for an approval, no key launches what it wrote itself, the root key neither")
    func approval() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/credentials/apns", try Credentials.body())
            let (admin, marketer) = (try await server.makeKey(["admin"]), try await server.makeKey(["campaign"]))
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"requiresApproval":true}"#)
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body("One"))
            for key in [TestServer.rootKey, admin, marketer] {
                let response = try await server.admin(.post, "\(Self.path)/launch", key: key)
                try expectError(response, .conflict, "approvalRequired")
            }
            let rehearsal = try await Self.rehearse(server)
            func decide(_ decision: String, _ more: String = "", key: String) async throws -> APIResponse {
                try await server.admin(
                    .post, "\(Self.path)/approval", #"{"version":1,"decision":"\#(decision)"\#(more)}"#, key: key
                )
            }
            let approved = #","rehearsal":"\#(rehearsal)""#
            try expectError(try await decide("approved", approved, key: TestServer.rootKey), .conflict, "ownVersion")
            try expectError(try await decide("approved", approved, key: marketer), .forbidden, "forbidden")
            try expectError(
                try await decide("approved", key: admin), .unprocessableContent, "missing", target: "rehearsal")
            try expectError(
                try await decide("approved", #","rehearsal":"x""#, key: admin), .unprocessableContent,
                "unknownRehearsal", target: "rehearsal")
            try expectError(
                try await decide("rejected", key: admin), .unprocessableContent, "blank", target: "reason")
            #expect(try await decide("requested", key: marketer).status == .ok)
            let response = try await decide("approved", approved, key: admin)
            let approval = try response.json(CampaignApprovalResponse.self)
            #expect(response.status == .ok && approval.status == .approved && approval.isRequired)
            #expect(approval.version == 1 && approval.rehearsal == String(rehearsal))
            #expect(approval.decisions.map(\.decision) == [.approved, .requested])

            _ = try await server.admin(.put, Self.path, Self.body("Two"), key: admin)
            try expectError(try await server.admin(.post, "\(Self.path)/launch"), .conflict, "approvalRequired")
            try expectError(
                try await decide("approved", approved, key: TestServer.rootKey), .conflict, "outdatedVersion")
            let read = try await server.admin(.get, "\(Self.path)/approval").json(CampaignApprovalResponse.self)
            #expect(read.status == .open && read.version == 2 && read.rehearsal == nil)
            let again = try await Self.rehearse(server)
            let body = #"{"version":2,"decision":"approved","rehearsal":"\#(again)"}"#
            #expect(try await server.admin(.post, "\(Self.path)/approval", body).status == .ok)
            #expect(try await server.admin(.post, "\(Self.path)/launch", key: marketer).status == .accepted)
        }
    }

    @Test("CON-5, IAM-4: a launched in-app message changes only by what was approved")
    func inApp() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let admin = try await server.makeKey(["admin"])
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.message("One"))
            try expectError(
                try await server.admin(.post, "\(Self.path)/versions", Self.message("Two")), .conflict, "conflict")
            #expect(try await server.admin(.post, "\(Self.path)/launch").status == .accepted)
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"requiresApproval":true}"#)
            try expectError(
                try await server.admin(.put, Self.path, Self.message("Two")), .conflict, "approvalRequired")
            let proposed = try await server.admin(.post, "\(Self.path)/versions", Self.message("Two"))
            #expect(proposed.status == .created)
            let version = try proposed.json(CampaignVersionResponse.self)
            #expect(version.version == 2 && !version.isPublished)
            let publish = "\(Self.path)/versions/2/publish"
            try expectError(try await server.admin(.post, publish), .conflict, "approvalRequired")
            let rehearsal = try await Self.rehearse(server)
            let body = #"{"version":2,"decision":"approved","rehearsal":"\#(rehearsal)"}"#
            #expect(try await server.admin(.post, "\(Self.path)/approval", body, key: admin).status == .ok)
            #expect(try await server.admin(.post, publish).status == .ok)
            let campaign = try await server.admin(.get, Self.path).json(CampaignResponse.self)
            #expect(campaign.inApp?.content.title == "Two" && campaign.inAppVersion == 2)
        }
    }

    @Test("ADM-1, CON-5: each of these writes is in the audit log by its word")
    func audit() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            _ = try await server.admin(.post, "/apps/shop/campaigns", Self.body("One"))
            _ = try await server.admin(.post, "\(Self.path)/comments", #"{"text":"Hi"}"#)
            _ = try await server.admin(.delete, "\(Self.path)/comments/1")
            _ = try await server.admin(.post, "\(Self.path)/versions/1/restore")
            _ = try await server.admin(.post, "\(Self.path)/approval", #"{"version":1,"decision":"requested"}"#)
            let entries = try await server.database.read { try $0.audit.newest(20) }
            let actions = entries.filter { $0.action.hasPrefix("campaign.") }.map { "\($0.action) \($0.target ?? "")" }
            #expect(
                actions == [
                    "campaign.approval 1 requested version 1", "campaign.restore 1", "campaign.comment.delete 1",
                    "campaign.comment 1", "campaign.create 1",
                ]
            )
        }
    }
}
