import AsyncHTTPClient
import BelfryModel
import Foundation
import NIOCore
import NIOHTTP1

/// One request for a page.
struct ConsoleVisit: Sendable {
    let page: ConsoleBenchPage
    /// The time to the first byte; `whole` is the time to the last.
    let firstByte: Duration
    let whole: Duration
    let bytes: Int
    let status: Int
}

/// A person who has signed in to the console.
struct ConsoleVisitor: Sendable {
    private static let pause: Duration = .milliseconds(500)
    private static let timeout = TimeAmount.seconds(30)

    private let client: HTTPClient
    private let address: String
    private let cookie: String
    /// The token that a form of this session must send.
    private let formToken: String

    /// Signs in with the form, as a browser does.
    static func signIn(_ name: String, password: String, at address: String) async throws -> ConsoleVisitor {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        do {
            var request = HTTPClientRequest(url: "\(address)/console/sign-in")
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.headers.add(name: "Origin", value: address)
            request.body = .bytes(ByteBuffer(string: form(["name": name, "password": password])))
            let response = try await client.execute(request, timeout: timeout)
            guard let cookie = response.headers["Set-Cookie"].lazy.compactMap(session).first else {
                throw BenchHTTPError.rejected(url: request.url, status: Int(response.status.code))
            }
            request = HTTPClientRequest(url: "\(address)/console/apps/\(ConsoleBench.app)/campaigns/new")
            request.headers.add(name: "Cookie", value: cookie)
            let page = try await client.execute(request, timeout: timeout)
            let text = String(buffer: try await page.body.collect(upTo: BenchHTTP.maximumResponseBytes))
            guard let token = formToken(in: text) else {
                throw BenchHTTPError.rejected(url: request.url, status: Int(page.status.code))
            }
            return ConsoleVisitor(client: client, address: address, cookie: cookie, formToken: token)
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    func leave() async throws {
        try await client.shutdown()
    }

    /// Opens the pages in turn, one per half second.
    ///
    /// - Parameter place: the index of the first page, so that not all visitors open the same page at the same time.
    func click(
        from place: Int, until end: ContinuousClock.Instant, pages: ConsoleBenchPages
    ) async throws -> [ConsoleVisit] {
        var visits: [ConsoleVisit] = []
        let all = ConsoleBenchPage.allCases
        // The visitors are spread over the half second.
        try await Task.sleep(for: Self.pause * (Double(place % 20) / 20))
        var next = ContinuousClock().now
        while next < end {
            let number = place + visits.count
            visits.append(try await open(all[number % all.count], pages, number: number * 31 + place))
            next += Self.pause
            try await Task.sleep(until: next)
        }
        return visits
    }

    private func open(
        _ page: ConsoleBenchPage, _ pages: ConsoleBenchPages, number: Int
    ) async throws -> ConsoleVisit {
        var request = HTTPClientRequest(url: address + pages.path(page, number: number))
        request.headers.add(name: "Cookie", value: cookie)
        request.headers.add(name: "Accept-Encoding", value: "gzip")
        if page == .count {
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.headers.add(name: "Origin", value: address)
            let fields = [
                "formToken": formToken, "kind": "push", "name": "Draft", "title": "Hello", "body": "There",
                "audience": "json", "predicate": ConsoleBenchPages.audience,
            ]
            request.body = .bytes(ByteBuffer(string: Self.form(fields)))
        }
        let begin = ContinuousClock().now
        let response = try await client.execute(request, timeout: Self.timeout)
        let first = ContinuousClock().now - begin
        let body = try await response.body.collect(upTo: BenchHTTP.maximumResponseBytes)
        return ConsoleVisit(
            page: page, firstByte: first, whole: ContinuousClock().now - begin, bytes: body.readableBytes,
            status: Int(response.status.code)
        )
    }
}

extension ConsoleVisitor {
    private static func form(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(WireURL.encoded($0.value))" }.joined(separator: "&")
    }

    /// The `NAME=VALUE` part of the session cookie.
    private static func session(_ header: String) -> String? {
        guard header.hasPrefix("belfry-session=") || header.hasPrefix("__Host-belfry-session=") else { return nil }
        return header.split(separator: ";").first.map(String.init)
    }

    private static func formToken(in html: String) -> String? {
        guard let start = html.range(of: #"name="formToken" value=""#)?.upperBound,
            let end = html[start...].firstIndex(of: "\"")
        else { return nil }
        return String(html[start..<end])
    }
}
