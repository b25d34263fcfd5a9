import Belfry
import BelfryModel
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import BelfryPhone

@Suite("The phone's pages")
struct PhonePageTests {
    private static func application(beside website: String? = nil) throws -> some ApplicationProtocol {
        let server = PhoneServer(
            world: try .unreachable(), port: 0, beside: website.flatMap { URL(string: $0) },
            logger: Logger(label: "test")
        ) { _ in }
        let router = Router()
        router.add(middleware: OwnOriginOnly())
        server.addRoutes(to: router)
        return Application(router: router)
    }

    @Test("CON-3: pages name this host, and only they press a phone's buttons")
    func origins() async throws {
        try await Self.application().test(.router) { client in
            for (origin, status) in [
                ("http://localhost", HTTPResponse.Status.noContent), ("http://evil.example", .forbidden),
                ("null", .forbidden), ("https://localhost", .forbidden), ("http://127.0.0.1", .forbidden),
            ] {
                let response = try await client.execute(
                    uri: "/phone/1/actions", method: .post, headers: [.origin: origin],
                    body: ByteBuffer(string: #"{"do":"unlock"}"#)
                )
                #expect(response.status == status, "\(origin)")
                // Nor does a page of another site read anything.
                let read = try await client.execute(uri: "/phone", method: .get, headers: [.origin: origin])
                #expect(read.status == (status == .forbidden ? .forbidden : .ok), "\(origin)")
            }
        }
    }

    @Test("SEC-4: a message's document runs in a sandbox and calls nothing; only pages of in-app messages have scripts")
    func framed() throws {
        for (runsScripts, sandbox) in [(true, "sandbox allow-scripts; "), (false, "sandbox; ")] {
            let response = PhoneServer.framed("<p>Hi</p>", runsScripts: runsScripts)
            let policy = try #require(response.headers[.contentSecurityPolicy])
            #expect(policy.hasPrefix("\(sandbox)default-src 'none'; ") && policy.hasSuffix("; frame-ancestors 'self'"))
            #expect(policy.contains("script-src 'none'") == !runsScripts && !policy.contains("allow-same-origin"))
        }
    }

    @Test(
        "CON-3: a request that names another host is refused",
        arguments: [
            ("127.0.0.1:1234", true), ("localhost", true), ("localhost:80", true), ("evil.example", false),
            ("127.0.0.1.evil.example", false), ("localhost@evil.example", false), ("localhost:80@evil.example", false),
            ("localhost\u{301}", false), ("", false),
        ])
    func hosts(_ host: String, isTaken: Bool) {
        #expect(OwnOriginOnly.isLoopback(host) == isTaken)
    }

    @Test("CON-14: there are twenty phones, and what is no action is refused")
    func bounds() async throws {
        try await Self.application().test(.router) { client in
            for (number, status) in [
                ("1", HTTPResponse.Status.ok), ("20", .ok), ("21", .notFound), ("0", .notFound), ("-1", .notFound),
                ("x", .notFound), ("99999999999999999999999", .notFound),
            ] {
                let response = try await client.execute(
                    uri: "/phone/\(number)", method: .get)
                #expect(response.status == status, "\(number)")
            }
            for body in ["", "{}", #"{"do":"explode"}"#, "[]", #"{"do":"clock","seconds":1e999}"#] {
                let response = try await client.execute(
                    uri: "/phone/1/actions", method: .post,
                    headers: [.origin: "http://localhost"], body: ByteBuffer(string: body)
                )
                #expect(response.status == .badRequest, "\(body)")
            }
        }
    }

    @Test("WEB-8: the phones of a demonstration lead to its page for one's own browser; others have no such link")
    func website() async throws {
        for website in ["http://127.0.0.1:4711", nil] {
            try await Self.application(beside: website).test(.router) { client in
                for path in ["/phone", "/phone/2"] {
                    let page = String(buffer: try await client.execute(uri: path, method: .get).body)
                    let link = "href=\"http://127.0.0.1:4711\" target=\"_blank\" rel=\"noopener\">Your own browser</a>"
                    #expect(page.contains(link) == (website != nil) && !page.contains("<!--"), "\(path)")
                    #expect(page.contains("</html>"))
                }
            }
        }
    }

    @Test("CON-1: the page allows no script but its own, and no other page shows it")
    func policy() async throws {
        try await Self.application().test(.router) { client in
            let response = try await client.execute(uri: "/phone/1", method: .get)
            let policy = try #require(response.headers[.contentSecurityPolicy])
            #expect(!policy.utf8.contains("unsafe".utf8) && policy.contains("frame-ancestors 'none'"))
            for name in PhoneAssets.File.allCases.map(\.rawValue) {
                let file = try await client.execute(
                    uri: "/phone/assets/\(name)", method: .get)
                #expect(file.status == .ok && file.body.readableBytes > 100, "\(name)")
            }
        }
    }
}

extension String.UTF8View {
    fileprivate func contains(_ other: String.UTF8View) -> Bool {
        let sought = Array(other)
        let bytes = Array(self)
        guard bytes.count >= sought.count else { return false }
        return (0...(bytes.count - sought.count)).contains { bytes[$0..<($0 + sought.count)].elementsEqual(sought) }
    }
}
