import BelfryModel
import BelfryServerModel
import BelfryServices
import HTTPTypes
import Testing

@testable import BelfryConsole

/// Every route of the console is called as everybody who may come, and answers as its declared access says.
@Suite("CON-3: each role at each address")
struct RouteRolesTests {
    /// Who may come.
    private enum Caller: CaseIterable {
        case viewer, marketer, approver, admin
        case server
        /// An admin of another app.
        case outsider
        case nobody

        var role: UserRole? {
            switch self {
            case .viewer: .viewer
            case .marketer: .marketer
            case .approver: .approver
            case .admin: .admin
            case .server, .outsider, .nobody: nil
            }
        }

        func may(_ right: UserRight) -> Bool { self == .server || role?.allows(right) == true }
    }

    private enum Expected: Equatable {
        /// It is let in, and told what it asked for, or what is wrong with that.
        case admitted
        case forbidden
        /// It does not learn that there is such an app.
        case notFound
        case signIn
    }

    private static func expected(_ route: ConsoleRoute, _ caller: Caller) -> Expected {
        switch route.access {
        case .anyone: .admitted
        case _ where caller == .nobody: .signIn
        case .signedIn: .admitted
        case .operators: caller == .server ? .admitted : .forbidden
        case .app where caller == .outsider: .notFound
        case .app(let right): caller.may(right) ? .admitted : .forbidden
        }
    }

    @Test("CON-3: what each right means for each role is as the security model says it")
    func rights() {
        let rights: [UserRole: Set<UserRight>] = [
            .viewer: [.view], .marketer: [.view, .compose, .comment, .stop],
            .approver: [.view, .approve, .comment, .stop], .admin: Set(UserRight.allCases),
        ]
        for role in UserRole.allCases {
            #expect(Set(UserRight.allCases.filter(role.allows)) == rights[role], "\(role)")
        }
    }

    @Test("CON-3: whatever changes something asks for more than to see it, and pages of an app ask for a right in it")
    func declarations() {
        for route in WebConsole.routes {
            let isOfApp = route.path.utf8.starts(with: "/apps/{app}".utf8)
            if case .app(let right) = route.access {
                #expect(isOfApp, "\(route.path)")
                // A dry run sends nothing, and the log has it all the same.
                let isTrial = route.audit == "campaign.dryRun"
                #expect(right != .view || route.audit == nil || isTrial, "\(route.path) changes something")
            } else {
                #expect(!isOfApp, "\(route.path) asks for no right in its app")
            }
        }
    }

    @Test("CON-3: every route admits whom its access names, and nobody else", arguments: WebConsole.routes.indices)
    func routes(_ index: Int) async throws {
        let route = WebConsole.routes[index]
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let other = try await console.services.apps.create(code: "other", name: "Other").app
            for caller in Caller.allCases {
                let browser = try await Self.browser(caller, console, app: story.app, other: other)
                let address = try await Self.address(route, story)
                let answer =
                    route.method == .get
                    ? try await browser.get(address)
                    : caller == .nobody
                        ? try await browser.post(address, [:]) : try await browser.submit(address)
                let found = Self.outcome(answer, route, caller)
                #expect(found == Self.expected(route, caller), "\(caller) at \(route.path): \(answer.status)")
            }
        }
    }

    private static func browser(
        _ caller: Caller, _ console: TestConsole, app: AppService.App, other: AppService.App
    ) async throws -> Browser {
        switch caller {
        case .nobody: return console.browser()
        case .server: return try await console.visitor(as: "server", isOperator: true)
        case .outsider: return try await console.visitor(as: "outsider", roles: [other.id: .admin])
        case .viewer, .marketer, .approver, .admin:
            let role = try #require(caller.role)
            return try await console.visitor(as: role.rawValue, roles: [app.id: role])
        }
    }

    /// The route's address with a draft that nobody has touched in the place of the campaign.
    private static func address(_ route: ConsoleRoute, _ story: CampaignStory) async throws -> String {
        let draft = CampaignDraft(
            name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B")
        )
        let id = try await story.console.services.campaigns.drafts.create(draft, app: story.app).id
        let parts = route.path.split(separator: "/").map { part -> String in
            guard part.utf8.first == UInt8(ascii: "{") else { return String(part) }
            return switch part {
            case "{app}": "shop"
            case "{id}": id.description
            default: "1"
            }
        }
        return (["/console"] + parts).joined(separator: "/")
    }

    private static func outcome(_ answer: Browser.Answer, _ route: ConsoleRoute, _ caller: Caller) -> Expected? {
        switch answer.status {
        case .seeOther where answer.headers[.location]?.hasPrefix("/console/sign-in?next=") == true: .signIn
        case .unauthorized where route.access != .anyone: .signIn
        case .forbidden: .forbidden
        // Where it is let in, what the address names may not be there.
        case .notFound where caller == .outsider && answer.text.contains("you have no role in it"): .notFound
        case _ where answer.status.code >= 500: nil
        default: .admitted
        }
    }
}
