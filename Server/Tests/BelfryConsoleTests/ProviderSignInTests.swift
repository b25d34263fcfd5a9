import BelfryModel
import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-3: signing in by an identity provider")
struct ProviderSignInTests {
    private static func run(
        _ test: @escaping @Sendable (TestConsole, TestSignInProvider) async throws -> Void
    ) async throws {
        try await TestConsole.run(publicURL: TestSignInProvider.publicURL, hasProvider: true) { console in
            try await test(console, try #require(console.provider))
        }
    }

    /// Where the button sends a browser.
    private static func depart(_ browser: Browser, next: String = "/console") async throws -> String {
        let answer = try await browser.get("/console/sign-in/provider?next=\(WireURL.encoded(next))")
        #expect(answer.status == .seeOther)
        return try #require(answer.headers[.location])
    }

    @Test("CON-3: the sign-in page has a button for the provider, and a person comes back signed in, without any role")
    func story() async throws {
        try await Self.run { console, provider in
            let browser = console.browser()
            let page = try await browser.get("/console/sign-in?next=%2Fconsole%2Faccount")
            #expect(page.text.contains("Sign in with Example"))
            #expect(page.text.contains("href=\"/console/sign-in/provider?next=%2Fconsole%2Faccount\""))
            let address = try await Self.depart(browser, next: "/console/account")
            let back = try provider.signIn(
                address,
                as: ["sub": #""ann""#, "name": #""Ann Ace""#, "email": #""Ann@Example.com""#, "email_verified": "true"]
            )
            let arrived = try await browser.get(back)
            #expect(arrived.status == .seeOther && arrived.headers[.location] == "/console/account")
            #expect(browser.cookieNames == ["__Host-belfry-session"])
            let account = try await browser.get("/console/account")
            #expect(account.text.contains("Ann Ace") && account.text.contains("ann@example.com"))
            #expect(account.text.contains("You have no password here"))
            let person = try await console.services.users.find("ann@example.com")
            #expect(person.roles.isEmpty && !person.user.isOperator)
            #expect(person.user.issuer == TestSignInProvider.issuer && person.user.subject == "ann")
            #expect(try await browser.get("/console").text.contains("You have no role in any app yet"))
        }
    }

    @Test("CON-3: a person of a provider is known by issuer and subject, whatever else the provider says of them")
    func knownAgain() async throws {
        try await Self.run { console, provider in
            for (claims, shown) in [
                (["sub": #""s1""#, "name": #""Ann""#], "Ann"),
                (
                    ["sub": #""s1""#, "name": #""Ann Ace""#, "email": #""a@b.example""#, "email_verified": "true"],
                    "Ann Ace"
                ),
            ] {
                let browser = console.browser()
                _ = try await browser.get(try provider.signIn(try await Self.depart(browser), as: claims))
                #expect(try await browser.get("/console/account").text.contains(shown))
            }
            let people = try await console.services.users.list(after: nil, limit: 10)
            #expect(people.map(\.user.subject) == ["s1"])
            let other = console.browser()
            _ = try await other.get(try provider.signIn(try await Self.depart(other), as: ["sub": #""s2""#]))
            #expect(try await console.services.users.list(after: nil, limit: 10).count == 2)
        }
    }

    @Test("CON-3: nobody gets another person's account or name by calling themselves so at the provider")
    func names() async throws {
        try await Self.run { console, provider in
            try await console.services.users.create(
                name: "admin@example.com", displayName: nil, password: nil, isOperator: true, roles: [:]
            )
            let tries: [[String: String]] = [
                ["email": #""admin@example.com""#, "email_verified": "true"],
                ["email": #""boss@example.com""#, "email_verified": "false"], ["email": #""boss@example.com""#],
                ["preferred_username": #""boss""#, "email": #""boss""#, "email_verified": "true"],
            ]
            for (number, claims) in tries.enumerated() {
                let browser = console.browser()
                let claims = claims.merging(["sub": "\"mallory-\(number)\""]) { $1 }
                _ = try await browser.get(try provider.signIn(try await Self.depart(browser), as: claims))
            }
            let people = try await console.services.users.list(after: nil, limit: 10)
            #expect(people.count == 5 && people.filter(\.user.isOperator).count == 1)
            #expect(people.dropFirst().allSatisfy { $0.user.name.hasPrefix("person-") })
        }
    }

    @Test(
        "CON-3: a token with anything wrong signs nobody in, and makes nobody",
        arguments: TestSignInProvider.Fault.allCases)
    func hostile(fault: TestSignInProvider.Fault) async throws {
        let beforehand: Set<TestSignInProvider.Fault> = [
            .unreachable, .slow, .endless, .metadataOfAnother, .insecureMetadata, .loopbackMetadata, .brokenMetadata,
            .noMetadata,
        ]
        try await Self.run { console, provider in
            let browser = console.browser()
            if beforehand.contains(fault) {
                provider.set(fault)
                let answer = try await browser.get("/console/sign-in/provider")
                #expect(answer.status == .unauthorized && browser.cookieNames.isEmpty)
                #expect(answer.text.contains("notice-bad") && answer.text.contains("Sign in with Example"))
                return
            }
            let back = try provider.signIn(try await Self.depart(browser))
            provider.set(fault)
            let answer = try await browser.get(back)
            #expect(answer.status == .unauthorized && answer.text.contains("notice-bad"), "\(fault)")
            #expect(browser.cookieNames.isEmpty, "the attempt is over, and there is no session")
            #expect(try await console.services.users.list(after: nil, limit: 10).isEmpty)
        }
    }

    @Test(
        "CON-3: the answer is taken once, only from the browser that asked, only for its own attempt, for ten minutes")
    func attempts() async throws {
        try await Self.run { console, provider in
            let (ann, mallory) = (console.browser(), console.browser())
            let answerOfMallory = try provider.signIn(try await Self.depart(mallory), as: ["sub": #""mallory""#])
            // Without an attempt, and with one of their own.
            #expect(try await ann.get(answerOfMallory).status == .unauthorized)
            _ = try await Self.depart(ann)
            #expect(try await ann.get(answerOfMallory).status == .unauthorized)
            #expect(ann.cookieNames.isEmpty)

            let back = try provider.signIn(try await Self.depart(ann))
            let copy = ann.copy()
            #expect(try await ann.get(back).status == .seeOther)
            #expect(try await copy.get(back).status == .unauthorized)

            let late = console.browser()
            let answer = try provider.signIn(try await Self.depart(late))
            console.clock.advance(by: 601)
            let rejected = try await late.get(answer)
            #expect(rejected.status == .unauthorized && rejected.text.contains("more than 10 minutes ago"))

            let forger = console.browser()
            forger.keep("__Host-belfry-sign-in", "eyJzdGF0ZSI6IngifQ")
            #expect(try await forger.get("/console/sign-in/provider/return?state=x&code=y").status == .unauthorized)
        }
    }

    @Test("CON-3: PKCE: the code is worth nothing without the verifier of the browser that asked")
    func verifier() async throws {
        try await Self.run { console, provider in
            let (ann, mallory) = (console.browser(), console.browser())
            let stolen = try provider.signIn(try await Self.depart(ann))
            let own = try provider.parameters(of: try await Self.depart(mallory))["state"]
            let code = try #require(stolen.split(separator: "=", maxSplits: 1).last?.split(separator: "&").first)
            let injected = "/console/sign-in/provider/return?code=\(code)&state=\(WireURL.encoded(own))"
            #expect(try await mallory.get(injected).status == .unauthorized)
            #expect(try await console.services.users.list(after: nil, limit: 10).isEmpty)
        }
    }

    @Test(
        "CON-3: errors of the provider and answers of another issuer sign nobody in, and none of their words are shown")
    func errors() async throws {
        try await Self.run { console, provider in
            provider.nameItself()
            for (change, words) in [
                ("error=access_denied&error_description=Call+0900", "The sign-in was declined at the provider."),
                ("error=server_error", "The provider did not confirm who you are."),
                ("", "did not confirm who you are"),
                ("code=code-0&iss=https%3A%2F%2Fevil.example", "did not confirm who you are"),
            ] {
                let browser = console.browser()
                let state = try provider.parameters(of: try await Self.depart(browser))["state"]
                let issuer = change.contains("iss=") ? "" : "&iss=\(WireURL.encoded(TestSignInProvider.issuer))"
                let answer = try await browser.get(
                    "/console/sign-in/provider/return?state=\(WireURL.encoded(state))&\(change)\(issuer)"
                )
                #expect(answer.status == .unauthorized && answer.text.contains(words), "\(change)")
                #expect(!answer.text.contains("0900"))
            }
            let browser = console.browser()
            #expect(try await browser.get(try provider.signIn(try await Self.depart(browser))).status == .seeOther)
        }
    }

    @Test("CON-3: a session is new at each sign-in, and the former one ends")
    func rotation() async throws {
        try await Self.run { console, provider in
            let browser = console.browser()
            _ = try await browser.get(try provider.signIn(try await Self.depart(browser)))
            let thief = browser.copy()
            #expect(try await thief.get("/console/account").status == .ok)
            _ = try await browser.get(try provider.signIn(try await Self.depart(browser)))
            #expect(try await browser.get("/console/account").status == .ok)
            #expect(try await thief.get("/console/account").status == .seeOther)
        }
    }

    @Test("CON-3: a disabled person does not sign in; nor does anybody lead elsewhere through the sign-in")
    func disabledAndRedirects() async throws {
        try await Self.run { console, provider in
            for next in ["https://evil.example/", "//evil.example", "/console/../x", "/consolex", "/console\\@evil"] {
                let browser = console.browser()
                let arrived = try await browser.get(
                    try provider.signIn(try await Self.depart(browser, next: next)))
                let place = try #require(arrived.headers[.location])
                #expect(place == "/console" || place.hasPrefix("/console/"), "\(next)")
            }
            let user = try await console.services.users.list(after: nil, limit: 1)[0].user
            try await console.services.users.change(
                user.name, displayName: user.displayName, isOperator: user.isOperator, isDisabled: true
            )
            let browser = console.browser()
            let answer = try await browser.get(try provider.signIn(try await Self.depart(browser)))
            #expect(answer.status == .unauthorized && browser.cookieNames.isEmpty)
        }
    }

    @Test(
        "CON-3: the secret goes into the header or the form, as the provider takes it; its answers are kept for an hour"
    )
    func calls() async throws {
        try await Self.run { console, provider in
            provider.takeSecretsInForms()
            for _ in 0..<3 {
                let browser = console.browser()
                #expect(try await browser.get(try provider.signIn(try await Self.depart(browser))).status == .seeOther)
            }
            func count(_ path: String) -> Int { provider.calls.count(where: { $0 == "/realm/\(path)" }) }
            #expect(count(".well-known/openid-configuration") == 1 && count("keys") == 1 && count("token") == 3)
            console.clock.advance(by: 3_601)
            let browser = console.browser()
            _ = try await browser.get(try provider.signIn(try await Self.depart(browser)))
            #expect(count(".well-known/openid-configuration") == 2 && count("keys") == 2)
            // A token that names an unknown key has the keys read anew, once a minute at most.
            provider.set(.unknownKey)
            console.clock.advance(by: 61)
            for _ in 0..<3 {
                let browser = console.browser()
                _ = try await browser.get(try provider.signIn(try await Self.depart(browser)))
            }
            #expect(count("keys") == 3)
        }
    }

    @Test("CON-3: without a provider there is no button, and its addresses are none")
    func without() async throws {
        try await TestConsole.run { console in
            let browser = console.browser()
            let page = try await browser.get("/console/sign-in").text
            #expect(!page.contains("Sign in with"))
            #expect(try await browser.get("/console/sign-in/provider").status == .notFound)
            #expect(try await browser.get("/console/sign-in/provider/return?code=x&state=y").status == .notFound)
        }
    }

    @Test("CON-3: the cookie of an attempt is HttpOnly, Secure, bound to its host, and gone in ten minutes")
    func cookie() async throws {
        try await Self.run { console, _ in
            let answer = try await console.browser().get("/console/sign-in/provider")
            let cookie = try #require(answer.headers[.setCookie])
            #expect(cookie.hasPrefix("__Host-belfry-sign-in=") && cookie.hasSuffix("; Max-Age=600; Secure"))
            #expect(cookie.contains("; Path=/; HttpOnly; SameSite=Lax"))
            #expect(answer.headers[.referrerPolicy] == "no-referrer")
        }
    }
}
