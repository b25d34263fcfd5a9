import BelfryServices
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import BelfryConsole

@Suite("SEC-2, SEC-9: forms of nobody who is signed in")
struct AnonymousFormTests {
    /// Two unauthenticated calls a minute, and some 14 KB of them.
    private static let rates = RequestRates(perDevice: 1, limitsLoopback: true)
    private static let address = IPAddress("192.0.2.7")
    /// It is told by its head, so nothing of such a form is read.
    private static let foreign = ["Sec-Fetch-Site": "cross-site"]
    private static let own = ["Sec-Fetch-Site": "same-origin"]
    private static let signIn = "/console/sign-in"

    @Test(
        "SEC-2: whoever has no session pays for a form by their address, before a byte of it is read",
        arguments: [
            signIn, "/console/welcome", "/console/nothing", "/console/apps/shop/campaigns/new",
            "/console/account/password",
        ])
    func calls(_ path: String) async throws {
        try await TestConsole.run(rates: Self.rates, network: Self.address) { console in
            let browser = console.browser()
            for _ in 1...2 {
                #expect(try await browser.post(path, ["name": "x"], headers: Self.foreign).status == .forbidden)
            }
            // Read, it would be refused as too long.
            let long = ["name": String(repeating: "a", count: FormFields.maximumBytes)]
            let rejected = try await browser.post(path, long, headers: Self.own)
            #expect(rejected.status == .tooManyRequests && rejected.text.contains("unauthenticated requests a minute"))
            // A cookie of no session is none.
            browser.keep("belfry-session", "forged")
            #expect(try await browser.post(path, long, headers: Self.own).status == .tooManyRequests)
            console.clock.advance(by: 60)
            #expect(try await browser.post(path, ["name": "x"], headers: Self.foreign).status == .forbidden)
        }
    }

    @Test("SEC-9: the bytes of such a form count for the address, too, as its head announces them")
    func bytes() async throws {
        try await TestConsole.run(rates: Self.rates, network: Self.address) { console in
            let form = ["name": String(repeating: "a", count: 13_000)]
            let first = try await console.browser().post(Self.signIn, form, headers: Self.foreign)
            #expect(first.status == .forbidden)
            let rejected = try await console.browser().post(Self.signIn, form, headers: Self.foreign)
            #expect(rejected.status == .tooManyRequests && rejected.text.contains("bodies of at most"))
        }
    }

    @Test(
        "SEC-9: a form counts as many bytes as it announces, and as many as may come where it does not say",
        arguments: [
            (nil, FormFields.maximumBytes), ("0", 0), ("77", 77), ("-1", 0), ("many", FormFields.maximumBytes),
            ("99999999999", FormFields.maximumBytes), (String(repeating: "9", count: 30), FormFields.maximumBytes),
        ] as [(String?, Int)])
    func announced(_ header: String?, _ bytes: Int) {
        var headers = HTTPFields()
        headers[.contentLength] = header
        let request = Request(
            head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: Self.signIn, headerFields: headers),
            body: RequestBody(buffer: ByteBuffer())
        )
        let form = RequestForm(request, settings: ConsoleSettings(servesTLS: false, version: "test"))
        #expect(form.announcedBytes == bytes)
    }

    @Test("SEC-2: who is signed in pays as a person, and where addresses are not counted nobody does")
    func others() async throws {
        try await TestConsole.run(rates: Self.rates, network: Self.address) { console in
            let visitor = try await console.visitor(as: "anna")
            for _ in 1...5 {
                let answer = try await visitor.post("/console/scheme", ["scheme": "dark"], headers: Self.foreign)
                #expect(!answer.text.contains("unauthenticated"))
            }
        }
        try await TestConsole.run(rates: Self.rates) { console in
            for _ in 1...5 {
                let answer = try await console.browser().post("/console/welcome", [:], headers: Self.foreign)
                #expect(answer.status == .forbidden)
            }
        }
    }
}
