import BelfryModel
import BelfryServices
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("CON-3, CON-9: who may do what with people")
struct PeopleRolesTests {
    private static let calls: [(method: HTTPRequest.Method, path: String, right: UserRight)] = [
        (.get, "/people", .view), (.get, "/campaigns/CAMPAIGN/person", .view), (.get, "/people/ID", .view),
        (.get, "/people/ID/why", .view), (.post, "/people/ID/export", .managePeople),
        (.get, "/people/ID/erase", .managePeople), (.post, "/people/ID/erase", .managePeople),
        (.post, "/people/ID/devices/DEVICE/revoke", .managePeople),
    ]

    @Test("CON-3: the table has every route of people")
    func complete() {
        let listed = Self.calls.map { call in
            let path =
                call.path.replacing("DEVICE", with: "{device}").replacing("CAMPAIGN", with: "{id}")
                .replacing("ID", with: "{id}")
            return "\(call.method) /apps/{app}\(path)"
        }
        #expect(PeoplePages.routes.map { "\($0.method) \($0.path)" }.sorted() == listed.sorted())
    }

    @Test("CON-3: everybody with a role sees people, and only an admin exports, revokes and erases")
    func table() async throws {
        try await TestConsole.run { console in
            let story = try await PeopleStory(console)
            let (_, ann) = try await story.login("ann", on: CampaignStory.device(1))
            let campaign = try await story.send("Sale")
            func address(_ path: String) -> String {
                "/console/apps/shop"
                    + path.replacing("CAMPAIGN", with: "\(campaign)").replacing("DEVICE", with: "999")
                    .replacing("ID", with: "\(ann)")
            }
            for role: UserRole? in [nil, .viewer, .marketer, .approver, .admin] {
                let browser = try await console.visitor(
                    as: role?.rawValue ?? "outsider", roles: role.map { [story.app.id: $0] } ?? [:]
                )
                for call in Self.calls {
                    let path = address(call.path)
                    let answer = call.method == .get ? try await browser.get(path) : try await browser.submit(path)
                    if role == nil {
                        #expect(answer.status == .notFound, "\(path)")
                    } else if role?.allows(call.right) == true {
                        #expect(answer.status != .forbidden && answer.status.code < 500, "\(path) \(role as Any)")
                    } else {
                        #expect(answer.status == .forbidden, "\(path) \(role as Any)")
                    }
                }
                let page = try await browser.get(address("/people/ID"))
                #expect(page.text.contains("/erase") == (role == .admin))
            }
            let nobody = console.browser()
            #expect(try await nobody.get(address("/people/ID")).status == .seeOther)
            #expect(try await nobody.post(address("/people/ID/erase"), ["key": "ann"]).status == .unauthorized)
        }
    }
}
