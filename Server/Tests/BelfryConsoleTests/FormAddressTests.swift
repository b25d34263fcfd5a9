import BelfryServices
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("CON-11: addresses to which forms are sent, and who comes back to them")
struct FormAddressTests {
    private static func route(_ path: String) throws -> ConsoleRoute {
        let found = WebConsole.routes.first { $0.method == .post && $0.path == path }
        return try #require(found)
    }

    /// An address of a route, whatever its parts name.
    private static func address(_ route: ConsoleRoute) -> String {
        let parts = route.path.split(separator: "/").map { part in
            part == "{app}" ? "shop" : part.utf8.first == UInt8(ascii: "{") ? "1" : String(part)
        }
        return (["/console"] + parts).joined(separator: "/")
    }

    @Test("CON-11: the page of a form's address is its own by GET, or the nearest one above it")
    func pages() throws {
        let campaign = "/apps/{app}/campaigns/{id}"
        let pages = [
            ("\(campaign)/dry-run", "/console/apps/shop/campaigns/7/dry-run", "/console/apps/shop/campaigns/7"),
            ("\(campaign)/launch", "/console/apps/shop/campaigns/7/launch?x=1", "/console/apps/shop/campaigns/7"),
            ("\(campaign)/edit", "/console/apps/shop/campaigns/7/edit", "/console/apps/shop/campaigns/7/edit"),
            (
                "\(campaign)/approval/reject", "/console/apps/shop/campaigns/7/approval/reject",
                "/console/apps/shop/campaigns/7"
            ),
            (
                "/apps/{app}/campaigns/preview/page", "/console/apps/shop/campaigns/preview/page",
                "/console/apps/shop/campaigns"
            ),
            ("/apps/{app}/calendar/pressure", "/console/apps/shop/calendar/pressure", "/console/apps/shop/calendar"),
            ("/scheme", "/console/scheme", "/console"),
            ("/account/password", "/console/account/password", "/console/account"),
        ]
        for (path, address, page) in pages {
            let route = try Self.route(path)
            #expect(PageAddress.of(address, at: route) == page, "\(path)")
        }
        let launch = try Self.route("\(campaign)/launch")
        #expect(PageAddress.of("/console/a/../../b", at: launch) == "/console")
    }

    @Test("CON-11: every address of a form leads who asks for it by GET to a page that there is")
    func strays() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let admin = try await story.person(.admin)
            let pages = WebConsole.routes.filter { $0.method == .get }
            for form in WebConsole.routes where form.method == .post {
                guard !pages.contains(where: { PageAddress.isSame($0, form) }) else { continue }
                let address = Self.address(form)
                let answer = try await admin.get(address)
                #expect(answer.status == .seeOther, "\(form.path): \(answer.status)")
                let next = try #require(answer.headers[.location])
                #expect(address.hasPrefix(next) && next != address, "\(address): \(next)")
                let page = try await admin.get(next)
                let isPage = page.headers[.contentType] == "text/html; charset=utf-8"
                #expect(isPage || page.status == .seeOther, "\(next): \(page.status)")
            }
        }
    }

    @Test("CON-11: a change of the appearance on a page that a form has made leads to a page")
    func appearance() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console, devices: 1)
            let marketer = try await story.person(.marketer)
            let id = try #require(try await story.compose(marketer))
            let page = "\(CampaignStory.list)/\(id)"
            let trial = try await marketer.submit("\(page)/dry-run")
            let rejected = try await marketer.submit("\(page)/launch", ["version": "of-another-time"])
            for made in [trial, rejected] {
                #expect(made.hidden("next") == page, "\(made.status)")
                let applied = try await marketer.submit(
                    "/console/scheme", ["scheme": "dark", "next": made.hidden("next")]
                )
                #expect(applied.headers[.location] == page)
            }
            #expect(try await marketer.get(page).status == .ok)
        }
    }

    @Test("CON-11: a form that is sent to an address that takes none gets the console's page that says so")
    func unknown() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let viewer = try await story.person(.viewer)
            for path in [
                "/console/nothing", "/console/apps/shop/nothing/here", "/console/apps/shop/calendar", "/console",
            ] {
                let answer = try await viewer.submit(path)
                #expect(answer.status == .notFound, "\(path)")
                #expect(answer.headers[.contentType] == "text/html; charset=utf-8", "\(path)")
            }
        }
    }
}
