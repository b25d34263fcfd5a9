import BelfryModel
import BelfryServerModel
import BelfryServices
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("CON-3, CON-5, CON-7: who may do what with campaigns")
struct CampaignRolesTests {
    /// What each role may, as the security model says it.
    private static let rights: [(role: UserRole?, may: Set<UserRight>)] = [
        (nil, []), (.viewer, [.view]), (.marketer, [.view, .compose, .stop]), (.approver, [.view, .approve, .stop]),
        (.admin, Set(UserRight.allCases)),
    ]

    /// Behind the list's address, and what a person needs for it.
    private static let calls: [(method: HTTPRequest.Method, path: String, right: UserRight)] = [
        (.get, "", .view), (.get, "/ID", .view), (.get, "/ID/live", .view), (.get, "/ID/counts.csv", .view),
        (.post, "/ID/reach", .view), (.post, "/ID/dry-run", .view), (.get, "/new", .compose), (.post, "/new", .compose),
        (.post, "/preview", .compose), (.post, "/preview/page", .compose), (.get, "/ID/page", .view),
        (.get, "/ID/people", .view),
        (.get, "/ID/edit", .compose), (.post, "/ID/edit", .compose),
        (.post, "/ID/duplicate", .compose), (.post, "/ID/test", .compose), (.post, "/ID/launch", .compose),
        (.post, "/ID/resume", .compose), (.post, "/ID/recall", .compose), (.post, "/ID/pause", .stop),
        (.post, "/ID/cancel", .stop), (.post, "/ID/launch/ask", .compose), (.post, "/ID/recall/ask", .compose),
        (.post, "/ID/resume/ask", .compose),
        (.post, "/ID/cancel/ask", .stop), (.post, "/ID/delete", .compose), (.post, "/ID/delete/ask", .compose),
    ]

    @Test("CON-3: the table has every route of campaigns")
    func complete() {
        let routes = (CampaignPages.routes + ComposePages.routes + MessagePages.routes + CampaignPeoplePages.routes).map
        {
            "\($0.method) \($0.path)"
        }
        let listed = Self.calls.map { call in
            "\(call.method) /apps/{app}/campaigns\(call.path.replacing("ID", with: "{id}"))"
        }
        #expect(routes.sorted() == listed.sorted())
    }

    @Test("CON-3: each role may what its rights say at each address, and nothing else")
    func table() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            for (role, may) in Self.rights {
                let roles = role.map { [story.app.id: $0] } ?? [:]
                let browser = try await console.visitor(as: role?.rawValue ?? "outsider", roles: roles)
                for call in Self.calls {
                    let address = try await Self.address(call.path, story)
                    let answer =
                        call.method == .get ? try await browser.get(address) : try await browser.submit(address)
                    if role == nil {
                        #expect(answer.status == .notFound, "\(call.path)")
                    } else if may.contains(call.right) {
                        #expect(answer.status != .forbidden && answer.status.code < 500, "\(call.path) \(may)")
                    } else {
                        #expect(answer.status == .forbidden, "\(call.path) \(may)")
                    }
                }
            }
            let nobody = console.browser()
            for call in Self.calls {
                let address = try await Self.address(call.path, story)
                let answer = call.method == .get ? try await nobody.get(address) : try await nobody.post(address, [:])
                #expect(answer.status == (call.method == .get ? .seeOther : .unauthorized), "\(call.path)")
            }
        }
    }

    /// Of a draft that nobody has touched.
    private static func address(_ path: String, _ story: CampaignStory) async throws -> String {
        let draft = CampaignDraft(
            name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B")
        )
        let id = try await story.console.services.campaigns.drafts.create(draft, app: story.app).id
        return CampaignStory.list + path.replacing("ID", with: id.description)
    }

    @Test("CON-7: pages show a person the buttons that they may press")
    func buttons() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let viewer = try await story.person(.viewer)
            let approver = try await story.person(.approver)
            let seen = try await viewer.get(page).text
            for step in ["launch", "edit", "duplicate", "test", "delete"] { #expect(!seen.contains("\(page)/\(step)")) }
            _ = try await marketer.submit("\(page)/launch", ["version": try await marketer.get(page).hidden("version")])
            #expect(try await approver.get(page).text.contains("\(page)/pause"))
            #expect(try await viewer.get(page).text.contains("\(page)/pause") == false)
        }
    }

    @Test("CON-3: a campaign of another app is not found, whatever the role")
    func foreignCampaign() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let author = try await console.visitor(as: "author", isOperator: true)
            let id = try #require(try await story.compose(author))
            _ = try await console.services.apps.create(code: "other", name: "Other")
            for path in ["", "/edit", "/counts.csv", "/live"] {
                let answer = try await author.get("/console/apps/other/campaigns/\(id)\(path)")
                #expect(answer.status == .notFound, "\(path)")
            }
            #expect(try await author.submit("/console/apps/other/campaigns/\(id)/launch").status == .notFound)
            let preview = try await author.submit(
                "/console/apps/other/campaigns/preview",
                CampaignStory.form.merging(["campaign": id.description]) { $1 }
            )
            #expect(preview.status == .notFound)
        }
    }
}
