import BelfryModel
import BelfryServices
import BelfryStore
import HTTPTypes
import Testing

@testable import BelfryConsole

@Suite("CON-3, CON-10: who may see and change settings and the server")
struct SettingsRightsTests {
    /// The address of a route with everything filled in that it names.
    private static func address(_ route: ConsoleRoute) -> String {
        let parts = [
            "{app}": "shop", "{provider}": "apns", "{key}": "key-1", "{work}": "registration-7", "{user}": "1",
            "{session}": "1",
        ]
        return "/console" + parts.reduce(route.path) { $0.replacing($1.key, with: $1.value) }
    }

    @Test("CON-10: all settings are for admins of the app, all pages of the server for operators")
    func access() {
        #expect(SettingsPages.routes.allSatisfy { $0.access == .app(.administer) })
        #expect(OperationsPages.routes.allSatisfy { $0.access == .operators })
        for route in SettingsPages.routes + OperationsPages.routes {
            #expect(!Self.address(route).contains("{"), "\(route.path)")
        }
    }

    @Test(
        "CON-3: every other role is refused at each address, an outsider does not learn of the app",
        arguments: [
            UserRole.viewer, .marketer, .approver,
        ])
    func others(_ role: UserRole) async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let person = try await story.person(role)
            let outsider = try await console.visitor(as: "outsider")
            let token = try await person.get("/console/account").formToken ?? ""
            let strange = try await outsider.get("/console/account").formToken ?? ""
            for route in SettingsPages.routes {
                let address = Self.address(route)
                let isGet = route.method == .get
                let answer =
                    isGet ? try await person.get(address) : try await person.post(address, ["formToken": token])
                #expect(answer.status == .forbidden, "\(address)")
                #expect(!answer.text.contains("KEY1234567"), "\(address)")
                let nothing =
                    isGet ? try await outsider.get(address) : try await outsider.post(address, ["formToken": strange])
                #expect(nothing.status == .notFound, "\(address)")
            }
        }
    }

    @Test("CON-10: an admin of an app is no operator; nobody without a session sees anything")
    func operators() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let admin = try await story.person(.admin)
            let token = try await admin.get("/console/account").formToken ?? ""
            let nobody = console.browser()
            for route in OperationsPages.routes {
                let address = Self.address(route)
                let isGet = route.method == .get
                let answer = isGet ? try await admin.get(address) : try await admin.post(address, ["formToken": token])
                #expect(answer.status == .forbidden, "\(address)")
                let outside = isGet ? try await nobody.get(address) : try await nobody.post(address, [:])
                #expect(outside.status == (isGet ? .seeOther : .unauthorized), "\(address)")
            }
        }
    }

    @Test("CON-10: the navigation shows a person what they may open, and no more")
    func navigation() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let operatorBrowser = try await console.visitor(as: "op", isOperator: true)
            let admin = try await story.person(.admin)
            let viewer = try await story.person(.viewer)
            let (settings, server) = ("href=\"/console/apps/shop/settings\"", "href=\"/console/operations\"")
            let home = "/console/apps/shop"
            let seen = try await [operatorBrowser, admin, viewer].asyncMap { try await $0.get(home).text }
            #expect(seen.map { $0.contains(settings) } == [true, true, false])
            #expect(seen.map { $0.contains(server) } == [true, false, false])
            #expect(try await operatorBrowser.get("/console/operations").text.contains(server))
        }
    }
}

extension Array where Element: Sendable {
    func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
