import BelfryAPI
import BelfryBrowser
import BelfryModel
import BelfryPhone
import BelfryServerModel
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// A website on this machine that makes the user's own browser a device of the demonstration (WEB-8). It listens on
/// loopback only.
struct DemoWebsite: Service {
    /// The admin API client for what the page asks of the server.
    let admin: AdminClient
    /// The server's address.
    let server: String
    let version: String
    let logger: Logger
    /// Receives the port.
    let isListening: @Sendable (Int) -> Void

    func run() async throws {
        let router = Router()
        router.add(middleware: OwnOriginOnly())
        addRoutes(to: router)
        try await Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil),
            onServerRunning: { [isListening] channel in
                if let port = channel.localAddress?.port { isListening(port) }
            },
            logger: logger
        ).run()
    }

    private func addRoutes(to router: Router<BasicRequestContext>) {
        let lines = BrowserSDK(version: version).lines(server: server, app: DemoApp.code)
        let settings = """
            export const server = "\(server)";
            export const app = "\(DemoApp.code)";
            export const version = "\(version)";
            """
        router.get("/") { request, _ in Self.atOtherName(request) ?? page }
        router.get("/website.css") { _, _ in Self.file(PackageResources.website_css, "text/css; charset=utf-8") }
        router.get("/website.js") { _, _ in Self.file(PackageResources.website_js, Self.script) }
        router.get("/settings.js") { _, _ in Self.file(Array(settings.utf8), Self.script) }
        router.get("\(WebsiteLines.workerPath)") { _, _ in Self.file(Array(lines.worker.utf8), Self.script) }
        router.post("/pushes/{device}") { request, context in
            // `OwnOriginOnly` has already checked the host name.
            try await send(to: try Self.word(context, "device"), page: "http://\(request.head.authority ?? "")/")
        }
        router.get("/pushes/{device}/{campaign}") { _, context in
            let explanation: ExplainResponse = try await admin.call(
                DeviceRoutes.explain, DemoApp.code,
                query: "campaign=\(try Self.word(context, "campaign"))&device=\(try Self.word(context, "device"))"
            )
            let isOpened = explanation.history.contains { $0.what == Engagement.opened.rawValue }
            return try Self.json(["sentence": explanation.sentence, "end": isOpened ? "opened" : ""])
        }
    }

    /// Sends a campaign to one device; 409 while the server does not yet know that the device may get pushes.
    private func send(to device: String, page: String) async throws -> Response {
        let known: DeviceResponse
        do {
            known = try await admin.call(DeviceRoutes.readDevice, DemoApp.code, device)
        } catch AdminClientError.rejected(status: 404, _) {
            throw HTTPError(.conflict, message: "The server does not know this device yet.")
        }
        guard known.push.eligible else {
            throw HTTPError(.conflict, message: "The server does not know yet that this device may get pushes.")
        }
        let content = PushContent(
            title: "Hello, browser!", body: "Your own browser got this push.",
            action: NotificationAction(type: .openUrl, url: page)
        )
        let draft: CampaignStatusResponse = try await admin.call(
            CampaignRoutes.createCampaign, DemoApp.code,
            body: CampaignRequest(
                name: "To my own browser", kind: .push, audience: .deviceIDs([device]), push: content)
        )
        _ = try await admin.call(CampaignRoutes.launchCampaign, DemoApp.code, draft.id)
        return try Self.json(["campaign": draft.id])
    }

    private static let idBytes = Set("0123456789abcdefABCDEF-".utf8)

    /// A path parameter that is safe in a URL: the id of a device or of a campaign.
    private static func word(_ context: BasicRequestContext, _ name: String) throws -> String {
        guard let text = context.parameters.get(name), (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy(idBytes.contains)
        else { throw HTTPError(.badRequest, message: "That is no \(name).") }
        return text
    }

    /// The server accepts the website's requests under one host name only. A browser that uses this machine's other
    /// name is redirected.
    private static func atOtherName(_ request: Request) -> Response? {
        // `OwnOriginOnly` has checked the host, so only a port follows the name.
        let host = (request.head.authority ?? "").utf8
        guard host.starts(with: "localhost".utf8) else { return nil }
        return .redirect(to: "http://127.0.0.1\(Substring(host.dropFirst("localhost".utf8.count)))/")
    }

    private static let script = "text/javascript; charset=utf-8"

    private var page: Response {
        var response = Self.file(PackageResources.website_html, "text/html; charset=utf-8")
        response.headers[.contentSecurityPolicy] = """
            default-src 'none'; script-src 'self' \(server); style-src 'self'; img-src 'self' data: https:; \
            connect-src 'self' \(server); frame-src \(server); worker-src 'self'; form-action 'none'; \
            frame-ancestors 'none'; base-uri 'none'
            """
        return response
    }

    private static func file(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    private static func json(_ members: [String: String]) throws -> Response {
        file(Array(try JSONEncoder().encode(members)), "application/json")
    }
}
