import BelfryModel
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The web server of the phones' pages, only on loopback: `/phone`, `/phone/2` …
package struct PhoneServer: Service {
    /// The number of phones.
    package static let maximumPhones = PhoneRack.maximumPhones

    let rack: PhoneRack
    private let now: @Sendable () -> Date
    private let sleep: @Sendable (Date) async -> Void
    private let port: Int
    private let website: URL?
    private let logger: Logger
    private let isListening: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - port: the port; 0 picks a free one.
    ///   - website: the page that makes the person's own browser a device, if there is one.
    ///   - isListening: receives the port.
    package init(
        world: PhoneWorld, port: Int, beside website: URL?, logger: Logger,
        isListening: @escaping @Sendable (Int) -> Void
    ) {
        rack = PhoneRack(world: world)
        now = world.environment.now
        sleep = world.environment.sleep
        self.port = port
        self.website = website
        self.logger = logger
        self.isListening = isListening
    }

    package func run() async throws {
        let router = Router()
        router.add(middleware: OwnOriginOnly())
        addRoutes(to: router)
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { [isListening] channel in
                if let port = channel.localAddress?.port { isListening(port) }
            },
            logger: logger
        )
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await application.run())
        } catch {
            outcome = .failure(error)
        }
        await rack.end()
        try outcome.get()
    }

    func addRoutes(to router: Router<BasicRequestContext>) {
        router.get("/") { _, _ in Response.redirect(to: "/phone") }
        router.get("/phone") { _, _ in PhoneAssets.page(beside: website) }
        router.get("/phone/assets/{name}") { _, context in PhoneAssets.response(context.parameters.get("name") ?? "") }
        router.get("/phone/{number}") { _, context in
            _ = try await phone(context)
            return PhoneAssets.page(beside: website)
        }
        router.get("/phone/{number}/live") { request, context in try live(try await phone(context), request) }
        router.post("/phone/{number}/actions") { request, context in
            let phone = try await phone(context)
            let body = try await request.body.collect(upTo: PhoneAction.maximumBytes)
            guard let action = try? PhoneAction(json: Data(body.readableBytesView)) else {
                throw HTTPError(.badRequest, message: "The body is no action of a phone.")
            }
            guard await phone.perform(action) else {
                throw HTTPError(.tooManyRequests, message: "Too many actions of this phone wait for each other.")
            }
            return Response(status: .noContent)
        }
        router.get("/phone/{number}/pages/{page}") { _, context in
            let phone = try await phone(context)
            guard let page = context.parameters.get("page").flatMap({ WholeNumber.read($0, as: Int.self) }),
                let html = phone.screen.display(of: page)?.html
            else { throw HTTPError(.notFound) }
            return Self.framed(html, runsScripts: true)
        }
        router.get("/phone/{number}/message") { _, context in
            guard let html = await (try await phone(context)).messageHTML() else { throw HTTPError(.notFound) }
            // HTML of message centers runs no scripts (SEC-4).
            return Self.framed(html, runsScripts: false)
        }
    }

    private func phone(_ context: BasicRequestContext) async throws -> Phone {
        guard let number = context.parameters.get("number").flatMap({ WholeNumber.read($0, as: Int.self) }),
            let phone = await rack.phone(number)
        else {
            throw HTTPError(.notFound, message: "There are phones 1 to \(PhoneRack.maximumPhones).")
        }
        return phone
    }

    /// A document by somebody else, such as a campaign's HTML. It has an origin of its own, is shown only inside the
    /// phone, and may load images. Whatever policy the document itself has, it cannot call anything on this machine.
    static func framed(_ html: String, runsScripts: Bool) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy: """
                sandbox\(runsScripts ? " allow-scripts" : ""); default-src 'none'; img-src https: data:; \
                font-src data:; style-src 'unsafe-inline'; script-src \(runsScripts ? "'unsafe-inline'" : "'none'"); \
                frame-src about:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'
                """,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html))
        )
    }

    /// A stream of server-sent events with all changes, until the page is closed.
    private func live(_ phone: Phone, _ request: Request) throws -> Response {
        guard let viewer = phone.viewers.watch() else {
            throw HTTPError(.tooManyRequests, message: "\(Viewers.maximum) pages show this phone already.")
        }
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                // The waiting times in the inspector's sentences change every second.
                let ticking = Task {
                    while !Task.isCancelled {
                        await sleep(now().addingTimeInterval(1))
                        viewer.signal()
                    }
                }
                defer { ticking.cancel() }
                await phone.watched()
                // A closed page is noticed at once, even while nothing is sent.
                try await request.body.consumeWithInboundCloseHandler { _ in
                    var parts = LiveParts()
                    for await _ in viewer.changes.cancelOnGracefulShutdown() {
                        guard let events = try await parts.changes(of: phone) else { continue }
                        try await writer.write(ByteBuffer(bytes: events))
                    }
                } onInboundClosed: {
                    viewer.leave()
                }
                try await writer.finish(nil)
            }
        )
    }
}

/// Keeps pages of other sites from reading the phones or pressing their buttons: requests must name this host, and
/// changes must come from its own pages.
package struct OwnOriginOnly: RouterMiddleware {
    package typealias Context = BasicRequestContext

    package init() {}

    package func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let host = request.head.authority, Self.isLoopback(host) else {
            throw HTTPError(.forbidden, message: "A phone is reached at 127.0.0.1 or localhost.")
        }
        // Browsers send the header with every change, and with reads by scripts of another site.
        let origin = request.headers[.origin]
        guard origin == "http://\(host)" || (origin == nil && request.method == .get) else {
            throw HTTPError(.forbidden, message: "Only the phone's own page reads it and presses its buttons.")
        }
        var response = try await next(request, context)
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }

    /// `127.0.0.1` or `localhost`, with any port.
    static func isLoopback(_ host: String) -> Bool {
        let bytes = Array(host.utf8)
        let name = bytes.prefix { $0 != UInt8(ascii: ":") }
        let port = bytes.dropFirst(name.count + 1)
        return (name.elementsEqual("127.0.0.1".utf8) || name.elementsEqual("localhost".utf8))
            && port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
