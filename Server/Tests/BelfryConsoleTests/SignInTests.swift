import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-3: signing in, sessions and forms")
struct SignInTests {
    @Test("CON-3: a person signs in, gets a page, signs out, and the cookie is worth nothing any more")
    func story() async throws {
        try await TestConsole.run { console in
            let browser = try await console.signedIn(as: "anna", isOperator: true)
            #expect(try await browser.get("/console/account").text.contains("Your account"))
            let thief = browser.copy()
            let left = try await browser.submit("/console/sign-out")
            #expect(left.status == .seeOther && browser.cookieNames.isEmpty)
            let tried = try await thief.get("/console/account")
            #expect(tried.status == .seeOther)
            #expect(tried.headers[.location] == "/console/sign-in?next=%2Fconsole%2Faccount")
        }
    }

    @Test("CON-3: the session's cookie is HttpOnly and SameSite, and Secure by TLS with the prefix of its host")
    func cookie() async throws {
        for (publicURL, name, isSecure) in [
            (nil, "belfry-session", false), ("https://belfry.example.com", "__Host-belfry-session", true),
        ] {
            try await TestConsole.run(publicURL: publicURL) { console in
                try await console.services.users.create(
                    name: "anna", displayName: nil, password: TestConsole.password, isOperator: true, roles: [:]
                )
                let answer = try await console.browser().post(
                    "/console/sign-in", ["name": "Anna", "password": TestConsole.password, "next": "/console"]
                )
                let cookie = try #require(answer.headers[.setCookie])
                #expect(cookie.hasPrefix("\(name)=") && cookie.contains("; HttpOnly; SameSite=Lax"))
                #expect(cookie.contains("; Secure") == isSecure)
            }
        }
    }

    @Test("CON-3: a wrong password and a name that nobody has get the same answer, and the name stays in the form")
    func wrongPassword() async throws {
        try await TestConsole.run { console in
            try await console.services.users.create(
                name: "anna", displayName: nil, password: TestConsole.password, isOperator: false, roles: [:]
            )
            let wrong = try await console.browser().post(
                "/console/sign-in", ["name": "anna", "password": "no no no no no"])
            let nobody = try await console.browser().post(
                "/console/sign-in", ["name": "bert", "password": "no no no no no"])
            #expect(wrong.status == .unauthorized && nobody.status == .unauthorized)
            #expect(wrong.text.replacing("value=\"anna\"", with: "value=\"bert\"") == nobody.text)
            #expect(wrong.text.contains("The name or the password is wrong."))
        }
    }

    @Test("SEC-2: attempts at one name are limited, whoever makes them, and the limit names when to try again")
    func limit() async throws {
        try await TestConsole.run { console in
            var last = try await console.browser().post("/console/sign-in", ["name": "anna", "password": "wrong"])
            for _ in 0..<60 where last.status == .unauthorized {
                last = try await console.browser().post("/console/sign-in", ["name": "anna", "password": "wrong"])
            }
            #expect(last.status == .tooManyRequests && last.text.contains("Try again in"))
        }
    }

    @Test("CON-3: a form of another site changes nothing: without the token, with another one, by its origin")
    func foreignForms() async throws {
        try await TestConsole.run { console in
            let anna = try await console.signedIn(as: "anna")
            let other = try await console.signedIn(as: "mallory")
            let token = try #require(try await anna.get("/console/account").formToken)
            let foreign = try #require(try await other.get("/console/account").formToken)
            let tries: [([String: String], [String: String])] = [
                ([:], ["Sec-Fetch-Site": "same-origin"]), (["formToken": foreign], ["Sec-Fetch-Site": "same-origin"]),
                (["formToken": token], ["Sec-Fetch-Site": "cross-site"]),
                (["formToken": token], ["Sec-Fetch-Site": "same-site"]),
                (["formToken": token], ["Origin": "https://evil.example"]), (["formToken": token], [:]),
            ]
            for (form, headers) in tries {
                #expect(try await anna.post("/console/sign-out", form, headers: headers).status == .forbidden)
            }
            #expect(try await anna.get("/console/account").status == .ok)
        }
    }

    @Test("CON-3: a sign-in goes on to a page of the console, and to nothing else")
    func redirects() {
        for next in ["/console", "/console/apps/shop?x=1", "/console?q=a", "/console/apps/a..b?q=/../x"] {
            #expect(SignInPages.safe(next) == next)
        }
        for next in [
            "https://evil.example", "//evil.example", "/console.evil", "/console\\evil", "/console/\u{0}", "",
            "/console/sign-out", "javascript:alert(1)", "/v3/apps", "/console/\r\nSet-Cookie: a=b",
            "/console" + String(repeating: "/a", count: 2_000), "/console/../../evil", "/console/..", "/console/./a",
            "/console/%2e%2E/evil", "/console/.%2e?x=1", "/console/a%2f..%2f..%2fevil", "/console/%5C..%5cevil",
            "/console/..#a",
        ] { #expect(SignInPages.safe(next) == "/console", "\(next.debugDescription)") }
    }

    @Test("CON-3: a session ends by rest and by age, and when the password or a role changes")
    func ends() async throws {
        try await TestConsole.run { console in
            let app = try await console.services.apps.create(code: "shop", name: "Shop").app
            let anna = try await console.signedIn(as: "anna", roles: [app.id: .viewer])
            console.clock.advance(by: 11 * 3_600)
            #expect(try await anna.get("/console/apps/shop").status == .ok)
            console.clock.advance(by: 11 * 3_600)
            #expect(try await anna.get("/console/apps/shop").status == .ok)
            console.clock.advance(by: 13 * 3_600)
            #expect(try await anna.get("/console/apps/shop").status == .seeOther)
            try await anna.signIn("anna")
            try await console.services.users.setRole(.admin, of: "anna", in: app)
            #expect(try await anna.get("/console/apps/shop").status == .seeOther)
            try await anna.signIn("anna")
            try await console.services.users.setPassword("another long password", of: "anna")
            #expect(try await anna.get("/console/apps/shop").status == .seeOther)
        }
    }

    @Test("CON-3: a person's own new password ends all sessions but the one that sets it")
    func ownPassword() async throws {
        try await TestConsole.run { console in
            let here = try await console.signedIn(as: "anna")
            let there = console.browser()
            try await there.signIn("anna")
            let wrong = try await here.submit(
                "/console/account/password",
                ["present": "not my password", "new": "a new long password", "again": "a new long password"]
            )
            #expect(wrong.status == .unprocessableContent && wrong.text.contains("This is not your present password."))
            let short = try await here.submit(
                "/console/account/password", ["present": TestConsole.password, "new": "short", "again": "short"]
            )
            #expect(short.text.contains("A password has 12 to 256 characters."))
            let done = try await here.submit(
                "/console/account/password",
                ["present": TestConsole.password, "new": "a new long password", "again": "a new long password"]
            )
            #expect(done.status == .seeOther)
            #expect(try await here.get("/console/account").status == .ok)
            #expect(try await there.get("/console/account").status == .seeOther)
        }
    }

    @Test("CON-3: the demonstration's address signs in once, by a form, within its first hour")
    func invitation() async throws {
        try await TestConsole.run { console in
            let user = try await console.services.users.create(
                name: "demo", displayName: "Demo", password: nil, isOperator: true, roles: [:]
            )
            func code(_ address: String) -> String { String(address.split(separator: "=").last ?? "") }
            // Other servers have no such page.
            #expect(try await console.browser().get("/console/welcome?code=x").status == .notFound)
            #expect(try await console.browser().post("/console/welcome", ["code": "x"]).status == .notFound)
            let first = code(console.invitation.invite(user.id))
            // Looking at the address signs nobody in: a preview of a link is no visit.
            #expect(try await console.browser().get("/console/welcome?code=\(first)").headers[.setCookie] == nil)
            let browser = console.browser()
            #expect(try await browser.post("/console/welcome", ["code": first]).status == .seeOther)
            #expect(try await browser.get("/console/account").status == .ok)
            #expect(try await console.browser().post("/console/welcome", ["code": first]).status == .gone)
            let late = code(console.invitation.invite(user.id))
            console.clock.advance(by: 3_601)
            #expect(try await console.browser().post("/console/welcome", ["code": late]).status == .gone)
        }
    }

    @Test("CON-3: a demonstration is reached by this machine's own names; every other server by whichever it has")
    func hosts() async throws {
        try await TestConsole.run { console in
            let settings = ConsoleSettings(servesTLS: false, version: "test", invitation: console.invitation)
            #expect(settings.admits(host: "belfry.example.com") && settings.admits(host: nil))
            _ = console.invitation.invite(1)
            for host in ["127.0.0.1:8080", "localhost:8080", "localhost"] { #expect(settings.admits(host: host)) }
            for host in [nil, "", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example:80"] {
                #expect(!settings.admits(host: host), "\(host ?? "none")")
            }
            let response = try await console.browser().get("/console/sign-in")
            #expect(response.status == .ok)
        }
    }

    @Test("SEC-12: a cookie that this server has not made is told from a session without a look into the store")
    func inventedCookies() async throws {
        let disk = FillingDisk()
        try await TestConsole.run(disk: disk) { console in
            /// How often the store is read for a page that anybody may see.
            func reads(_ cookie: String?) async throws -> Int {
                let browser = console.browser()
                if let cookie { browser.keep("belfry-session", cookie) }
                let before = disk.reads
                #expect(try await browser.get("/console/sign-in").status == .ok)
                return disk.reads - before
            }
            let user = try await console.services.users.create(
                name: "anna", displayName: nil, password: nil, isOperator: true, roles: [:]
            )
            let token = try await console.services.signIn.begin(for: user.id, agent: "test").token
            let least = try await reads(nil)
            let invented = [
                "forged", String(repeating: "A", count: 43), String(repeating: "A", count: 64),
                String(token.reversed()), String(token.dropLast()), token + "A",
            ]
            for cookie in invented { #expect(try await reads(cookie) == least, "\(cookie)") }
            #expect(try await reads(token) > least)
        }
    }

    @Test("SEC-2: a person has so many sessions at a time: the oldest ends for a further one")
    func manySessions() async throws {
        try await TestConsole.run { console in
            let oldest = try await console.visitor(as: "anna")
            let user = try await console.services.users.find("anna").user.id
            for number in 1...SignInService.maximumSessions {
                #expect(try await oldest.get("/console/account").status == .ok, "\(number) sessions")
                _ = try await console.services.signIn.begin(for: user, agent: "test")
            }
            #expect(try await oldest.get("/console/account").status == .seeOther)
            #expect(try await console.services.signIn.sessions(of: user).count == SignInService.maximumSessions)
        }
    }

    @Test("SEC-2: whoever has taken a session guesses the password by it no more often than at the sign-in")
    func guessesInSession() async throws {
        try await TestConsole.run { console in
            let thief = try await console.visitor(as: "anna")
            var last: Browser.Answer?
            for _ in 0..<30 where last.map({ $0.status == .unprocessableContent }) ?? true {
                last = try await thief.submit(
                    "/console/account/password",
                    ["present": "a mere guess", "new": "a new long password", "again": "a new long password"]
                )
            }
            #expect(last?.status == .tooManyRequests)
        }
    }

    @Test("CON-3: whoever has no role in an app does not learn that it exists")
    func foreignApp() async throws {
        try await TestConsole.run { console in
            _ = try await console.services.apps.create(code: "shop", name: "Shop")
            let anna = try await console.signedIn(as: "anna")
            let there = try await anna.get("/console/apps/shop")
            let nowhere = try await anna.get("/console/apps/nope")
            #expect(there.status == .notFound && nowhere.status == .notFound)
            #expect(there.text.replacing("shop", with: "nope") == nowhere.text)
        }
    }
}
