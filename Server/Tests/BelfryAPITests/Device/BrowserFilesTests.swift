import BelfryBrowser
import BelfryServices
import Crypto
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@testable import BelfryAPI

@Suite("The files of the browser SDK")
struct BrowserFilesTests {
    private static let module = [UInt8](String(repeating: "export const a = 1;\n", count: 200).utf8)
    private static let sdk = BrowserSDK(
        version: "1.2.3",
        sources: [
            "belfry.js": module, "belfry.d.ts": [UInt8]("export {};".utf8),
            "belfry-frame.html": [UInt8]("<!doctype html>".utf8),
        ])

    private static let former = BrowserSDK(version: "1.1.0", sources: ["belfry.js": [UInt8]("export {};".utf8)])

    /// The files behind all that stands before them in a server.
    private static func run(
        _ sdks: [BrowserSDK] = [sdk, former],
        _ test: @Sendable @escaping (any TestClientProtocol) async throws -> Void
    ) async throws {
        try await TestServer.run { server in
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let router = makeRouter(server.services, logger: logger) { BrowserFiles(sdks).add(to: $0) }
            try await Application(router: router, logger: logger).test(.router, test)
        }
    }

    @Test("WEB-1: a script comes with its type, for every origin, to be kept for good")
    func served() async throws {
        try await Self.run { client in
            try await client.execute(uri: "/sdk/1.2.3/belfry.js", method: .get) { response in
                #expect(response.status == .ok && Array(buffer: response.body) == Self.module)
                #expect(response.headers[.contentType] == "text/javascript; charset=utf-8")
                #expect(response.headers[.cacheControl] == "public, max-age=31536000, immutable")
                #expect(response.headers[.accessControlAllowOrigin] == "*")
                #expect(response.headers[.crossOriginResourcePolicy] == "cross-origin")
                #expect(response.headers[.xContentTypeOptions] == "nosniff")
            }
            try await client.execute(uri: "/sdk/1.2.3/belfry.d.ts", method: .get) { response in
                #expect(response.headers[.contentType] == "text/plain; charset=utf-8")
            }
            try await client.execute(uri: "/sdk/1.2.3/belfry-frame.html", method: .get) { response in
                #expect(response.headers[.contentType] == "text/html; charset=utf-8")
                // Whatever runs in it is not of the console's origin.
                #expect(response.headers[.contentSecurityPolicy] == "sandbox allow-scripts")
            }
            let packed: HTTPFields = [.acceptEncoding: "gzip"]
            try await client.execute(uri: "/sdk/1.2.3/belfry.js", method: .get, headers: packed) { response in
                #expect(response.headers[.contentEncoding] == "gzip" && response.headers[.vary] == "Accept-Encoding")
                #expect(response.body.readableBytes < Self.module.count / 10)
            }
        }
    }

    @Test("SEC-4, WEB-1: every page of the SDK is sandboxed without an origin, however it is asked for")
    func sandboxed() async throws {
        let own = BrowserSDK(version: "3.2.1")
        let pages = own.files.filter { $0.contentType.utf8.starts(with: "text/html".utf8) }
        #expect(pages.map(\.name) == ["belfry-frame.html"])
        let asks: [(HTTPRequest.Method, HTTPFields)] = [
            (.get, [:]), (.head, [:]), (.get, [.accept: "text/html"]), (.get, [.acceptEncoding: "gzip"]),
            (.get, [.ifNoneMatch: "*"]),
        ]
        try await Self.run([own]) { client in
            for page in pages {
                for (method, headers) in asks {
                    let uri = "/sdk/3.2.1/\(page.name)"
                    try await client.execute(uri: uri, method: method, headers: headers) { response in
                        #expect(response.headers[values: .contentSecurityPolicy] == ["sandbox allow-scripts"])
                        #expect(response.headers[.xContentTypeOptions] == "nosniff")
                    }
                }
            }
        }
    }

    @Test("WEB-1: a page that names a former version gets it")
    func formerVersion() async throws {
        try await Self.run { client in
            try await client.execute(uri: "/sdk/1.1.0/belfry.js", method: .get) { response in
                #expect(response.status == .ok && String(buffer: response.body) == "export {};")
            }
            try await client.execute(uri: "/sdk/1.1.0/belfry.d.ts", method: .get) { response in
                #expect(response.status == .notFound)
            }
        }
    }

    @Test("WEB-1: whoever has the file already gets no bytes")
    func fresh() async throws {
        try await Self.run { client in
            let tag = try await client.execute(uri: "/sdk/1.2.3/belfry.js", method: .get) { $0.headers[.eTag] }
            let known = try #require(tag)
            for (shown, isFresh) in [(known, true), ("\"x\", W/\(known)", true), ("*", true), ("\"x\"", false)] {
                let headers: HTTPFields = [.ifNoneMatch: shown]
                try await client.execute(uri: "/sdk/1.2.3/belfry.js", method: .get, headers: headers) { response in
                    #expect(response.status == (isFresh ? .notModified : .ok), "\(shown)")
                    #expect(response.headers[.eTag] == known)
                    #expect((response.body.readableBytes == 0) == isFresh)
                }
            }
            try await client.execute(uri: "/sdk/1.2.3/belfry.js", method: .head) { response in
                #expect(response.status == .ok && response.headers[.eTag] == known)
            }
        }
    }

    @Test(
        "WEB-1: another version, another name or another place is a 404 that is not kept",
        arguments: [
            "/sdk/1.2.2/belfry.js", "/sdk/1.2.3/other.js", "/sdk/1.2.3", "/sdk", "/sdk/1.2.3/a/belfry.js",
            "/sdk/1.2.3/..%2Fbelfry.js", "/sdk/1.2.3/Belfry.js",
        ]
    )
    func missing(path: String) async throws {
        try await Self.run { client in
            try await client.execute(uri: path, method: .get) { response in
                #expect(response.status == .notFound && response.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test("WEB-1: the integrity of a script is that of its bytes, and stands in the lines to paste")
    func integrity() throws {
        let expected = "sha384-" + Data(SHA384.hash(data: Self.module)).base64EncodedString()
        let script = try #require(Self.sdk.scripts.first)
        #expect(Self.sdk.scripts.count == 1 && script.name == "belfry.js" && script.integrity == expected)
        let lines = Self.sdk.lines(server: "https://belfry.example.com", app: "shop")
        #expect(
            lines.page.contains(
                #"href="https://belfry.example.com/sdk/1.2.3/belfry.js" integrity="\#(expected)" crossorigin"#))
        #expect(lines.page.contains(#""https://belfry.example.com/sdk/1.2.3/belfry.js": "\#(expected)""#))
        #expect(lines.page.contains(#"appCode: "shop", serverURL: "https://belfry.example.com""#))
        #expect(lines.worker.contains("https://belfry.example.com/sdk/1.2.3/belfry-worker.js"))
        #expect(
            lines.policy.contains("connect-src https://belfry.example.com")
                && lines.policy.contains("worker-src 'self'"))
    }

    @Test("WEB-1: every file of the folder is in the program, and as it is there")
    func sources() throws {
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<5 { folder.deleteLastPathComponent() }
        folder.append(path: "Browser")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { name in [".js", ".html", ".d.ts"].contains { name.hasSuffix($0) } }
        #expect(Set(names) == Set(BrowserSources.all.keys))
        for name in names {
            let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
            #expect(BrowserSources.all[name] == bytes, "\(name)")
        }
        for name in [BrowserSDK.module, BrowserSDK.worker] { #expect(names.contains(name)) }
    }

    @Test("WEB-1: the admin API says what a website needs")
    func website() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let before = try await server.admin(.get, "/apps/shop/website").json(WebsiteResponse.self)
            #expect(before.version == "1.2.3" && before.server == nil && before.publicKey == nil)
            #expect(before.allowedOrigins.isEmpty)
            try await Credentials.putAll(on: server)
            let list = #"{"allowedOrigins":["https://shop.example"]}"#
            #expect(try await server.admin(.put, "/apps/shop/settings", list).status == .ok)
            let after = try await server.admin(.get, "/apps/shop/website").json(WebsiteResponse.self)
            #expect(after.allowedOrigins == ["https://shop.example"] && after.publicKey?.utf8.count == 87)
        }
    }
}
