import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation
import HTTPTypes
import Logging
import Testing

@testable import BelfryConsole

@Suite("CON-11, CON-3: what was typed is kept when a form cannot be taken")
struct KeptFormTests {
    private static let new = "\(CampaignStory.list)/new"

    /// The fields of the form that is sent again.
    private static func kept(_ page: Browser.Answer) throws -> PageForm {
        let start = try #require(page.text.range(of: "<form method=\"post\" action=\"\(new)\"")).upperBound
        return try #require(PageForm("<form id=\"kept-form\"\(page.text[start...])", id: "kept-form"))
    }

    private static func typed(_ browser: Browser) async throws -> PageForm {
        let page = try await browser.get(new)
        var form = try #require(PageForm(page.text, id: "compose"))
        form["name"] = ["An hour's work"]
        form["title"] = ["Hello <b>you</b>"]
        form["body"] = ["First line\nSecond line \"quoted\""]
        form["variantLocale"] = ["de", "fr"]
        form["variantTitle"] = ["Hallo", "Bonjour"]
        form["formToken"] = [try await browser.get("/console/account").formToken ?? ""]
        return form
    }

    private static func sent(_ form: PageForm, _ browser: Browser) async throws -> Browser.Answer {
        try await browser.sendAsIs(new, form.values)
    }

    @Test("CON-11: a draft saved after the session has ended is kept on a page, and saved when its person is back")
    func ended() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let user = try await console.services.users.create(
                name: "ann", displayName: "Ann", password: nil, isOperator: false, roles: [story.app.id: .marketer]
            )
            let browser = console.browser()
            func signIn() async throws {
                let session = try await console.services.signIn.begin(for: user.id, agent: "test")
                browser.keep("belfry-session", session.token)
            }
            try await signIn()
            let form = try await Self.typed(browser)
            console.clock.advance(by: SignInService.maximumAge + 1)
            let ended = try await Self.sent(form, browser)
            #expect(ended.status == .unauthorized && ended.text.contains("Your session has ended"))
            #expect(ended.text.contains("/console/sign-in?next=%2Fconsole%2Fsigned-in\" target=\"_blank\""))
            #expect(!ended.text.contains("<b>you</b>"))
            var kept = try Self.kept(ended)
            for (name, values) in form.values { #expect(kept[name] == values, "\(name)") }
            // Pressed too early, nothing is lost.
            kept = try Self.kept(try await Self.sent(kept, browser))
            #expect(kept["body"] == form["body"])

            try await signIn()
            #expect(try await browser.get("/console/signed-in").text.contains("Go back to the tab"))
            let back = try await Self.sent(kept, browser)
            #expect(back.status == .forbidden && back.text.contains("You have signed in again"))
            #expect(try await console.services.campaigns.queries.list(app: story.app, before: nil, limit: 1).isEmpty)
            let again = try Self.kept(back)
            for (name, values) in form.values where name != "formToken" { #expect(again[name] == values, "\(name)") }
            let saved = try await Self.sent(again, browser)
            #expect(saved.status == .seeOther, "\(saved.text.prefix(2_000))")
            let id = try #require(CampaignStory.id(saved))
            let draft = try await console.services.campaigns.queries.campaign(id, app: story.app).draft
            #expect(draft.name == "An hour's work" && draft.push?.body == "First line\nSecond line \"quoted\"")
            #expect(draft.push?.variants?["fr"]?.title == "Bonjour")
        }
    }

    @Test("CON-3: it is given to nobody else: not to another person, not to another site, not without a token")
    func signedOut() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let ann = try await story.person(.marketer)
            let bert = try await console.visitor(as: "bert", roles: [story.app.id: .marketer])
            let form = try await Self.typed(ann)
            let other = try await Self.sent(form, bert)
            #expect(other.status == .forbidden && other.text.contains("The form was not accepted"))
            #expect(!other.text.contains("An hour"))
            let pairs = form.values.mapValues { $0[0] }
            for headers in [["Sec-Fetch-Site": "cross-site"], [:], ["Origin": "https://evil.example"]] {
                let foreign = try await console.browser().post(Self.new, pairs, headers: headers)
                #expect(foreign.status == .forbidden && !foreign.text.contains("An hour"))
            }
            for token in ["", "x", "1.", "1.short", ".\(String(repeating: "a", count: 43))"] {
                var forged = form
                forged["formToken"] = [token]
                let answer = try await Self.sent(forged, console.browser())
                #expect(answer.status == .unauthorized && !answer.text.contains("An hour"), "\(token)")
                let signedIn = try await Self.sent(forged, ann)
                #expect(signedIn.status == .forbidden && !signedIn.text.contains("An hour"), "\(token)")
            }
            #expect(try await console.services.campaigns.queries.list(app: story.app, before: nil, limit: 1).isEmpty)
        }
    }

    @Test("CON-11, SEC-2: a form of somebody who calls too often is kept, and saved when they may call again")
    func tooOften() async throws {
        let rates = RequestRates(perDevice: 60, limitsLoopback: true)
        try await TestConsole.run(rates: rates) { console in
            let story = try await CampaignStory(console)
            let ann = try await story.person(.marketer)
            let bert = try await console.visitor(as: "bert", roles: [story.app.id: .marketer])
            let form = try await Self.typed(ann)
            for browser in [ann, bert] {
                var answer = try await browser.get("/console/account")
                while answer.status == .ok { answer = try await browser.get("/console/account") }
            }
            let rejected = try await Self.sent(form, ann)
            #expect(rejected.status == .tooManyRequests && rejected.text.contains("You have requested more pages"))
            let kept = try Self.kept(rejected)
            for (name, values) in form.values { #expect(kept[name] == values, "\(name)") }
            let other = try await Self.sent(form, bert)
            #expect(other.status == .tooManyRequests && !other.text.contains("An hour"), "the form is Ann's")
            console.clock.advance(by: 60)
            #expect(try await Self.sent(kept, ann).status == .seeOther)
        }
    }

    @Test("SEC-2: of somebody who calls too often a few forms a minute are kept, and the others are not even read")
    func rejectedUnread() async throws {
        try await TestConsole.run(rates: RequestRates(perDevice: 60, limitsLoopback: true)) { console in
            let story = try await CampaignStory(console)
            let ann = try await story.person(.marketer)
            let form = try await Self.typed(ann)
            var page = try await ann.get("/console/account")
            while page.status == .ok { page = try await ann.get("/console/account") }
            for _ in 0..<10 { #expect(try await Self.sent(form, ann).text.contains("An hour")) }
            let rejected = try await Self.sent(form, ann)
            #expect(rejected.status == .tooManyRequests && !rejected.text.contains("An hour"))
            // Read, it would be refused as too long.
            var long = form
            long["html"] = [String(repeating: "x", count: FormFields.maximumBytes)]
            #expect(try await Self.sent(long, ann).status == .tooManyRequests)
            console.clock.advance(by: 60)
            #expect(try await Self.sent(form, ann).status == .seeOther)
        }
    }

    @Test("CON-11, ADM-1: a form that could not be written down in the audit log is kept until it can be")
    func fullLog() async throws {
        let disk = FillingDisk()
        try await TestConsole.run(disk: disk) { console in
            let story = try await CampaignStory(console)
            let ann = try await story.person(.marketer)
            let form = try await Self.typed(ann)
            disk.isFull = true
            let principal = try await console.services.access.principal(bearer: TestConsole.rootKey)
            for _ in 0..<AuditLog.maximumHeld {
                try await console.services.access.audit(principal, action: "test", app: nil, target: nil)
            }
            let rejected = try await Self.sent(form, ann)
            #expect(rejected.status == .serviceUnavailable)
            let kept = try Self.kept(rejected)
            for (name, values) in form.values { #expect(kept[name] == values, "\(name)") }
            #expect(try await console.browser().post(Self.new, ["name": "An hour"]).text.contains("An hour") == false)
            disk.isFull = false
            await console.services.access.log.writeHeld(
                logger: Logger(label: "belfry.test") { _ in SwiftLogNoOpLogHandler() }
            )
            #expect(try await Self.sent(kept, ann).status == .seeOther)
        }
    }

    @Test("CON-11, CON-3: a form of somebody who has lost their role is kept, and saved when they have it again")
    func lostRole() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let user = try await console.services.users.create(
                name: "ann", displayName: "Ann", password: nil, isOperator: false, roles: [story.app.id: .marketer]
            )
            let browser = console.browser()
            /// A role ends the sessions of before.
            func has(_ role: UserRole?) async throws {
                try await console.services.users.setRole(role, of: "ann", in: story.app)
                let session = try await console.services.signIn.begin(for: user.id, agent: "test")
                browser.keep("belfry-session", session.token)
            }
            try await has(.viewer)
            try await has(.marketer)
            let form = try await Self.typed(browser)
            let losses: [(role: UserRole?, status: HTTPResponse.Status)] = [(.viewer, .forbidden), (nil, .notFound)]
            for (role, status) in losses {
                try await has(role)
                var kept = try Self.kept(try await Self.sent(form, browser))
                let rejected = try await Self.sent(kept, browser)
                #expect(rejected.status == status)
                kept = try Self.kept(rejected)
                for (name, values) in form.values where name != "formToken" { #expect(kept[name] == values, "\(name)") }
            }
            try await has(.marketer)
            let kept = try Self.kept(try await Self.sent(form, browser))
            #expect(try await Self.sent(kept, browser).status == .seeOther)
        }
    }

    @Test("SEC-2, CON-3: no more is kept than a page can hold, and nothing of forms with secrets")
    func bounds() async throws {
        try await TestConsole.run { console in
            let story = try await CampaignStory(console)
            let ann = try await console.visitor(as: "ann", isOperator: true, roles: [story.app.id: .admin])
            var form = try await Self.typed(ann)
            let signedOut = console.browser()
            form["html"] = [String(repeating: "x", count: KeptForm.maximumBytes)]
            let long = try await Self.sent(form, signedOut)
            #expect(long.status == .unauthorized && !long.text.contains("An hour") && long.text.utf8.count < 20_000)
            let token = form["formToken"]
            for path in ["/console/apps/shop/settings/credentials/apns/save", "/console/account/password"] {
                let answer = try await signedOut.sendAsIs(path, ["formToken": token, "privateKey": ["SECRET"]])
                #expect(answer.status == .unauthorized && !answer.text.contains("SECRET"), "\(path)")
            }
        }
        for route in WebConsole.routes where route.keepsForm {
            #expect(route.method == .post && !route.path.contains("credentials") && !route.path.contains("password"))
            #expect(!route.path.contains("/keys") && route.access != .operators, "\(route.path)")
        }
    }
}

extension Browser {
    /// Sends a form as it stands, with the token that is in it.
    func sendAsIs(_ path: String, _ form: [String: [String]]) async throws -> Answer {
        try await post(path, pairs: form.flatMap { name, values in values.map { (name, $0) } })
    }
}
