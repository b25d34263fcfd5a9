import BelfryBrowser
import BelfryModel
import BelfryServerModel
import BelfryServices

/// The routes for a website that wants to use an app (WEB-1).
package enum WebsiteRoutes {
    static let all = [readWebsite.route]

    package static let readWebsite = AdminRoute(
        .get, inApp: "/website", id: "readWebsite", .apps, scope: .read,
        summary: "Read what a website needs",
        description: "The version and the scripts of the browser SDK, the websites that may call, and the key.",
        response: "What a website needs.", does: find
    )

    private static func find(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<WebsiteResponse> {
        let server = call.services.publicServer
        let sdk = BrowserSDK(version: server.version)
        return Done(
            WebsiteResponse(
                server: server.address, version: sdk.version,
                scripts: sdk.scripts.map { .init(name: $0.name, integrity: $0.integrity) },
                allowedOrigins: try await call.services.apps.settings(of: app).origins,
                publicKey: try await call.services.apps.webPushKey(of: app)
            )
        )
    }
}

/// `GET …/website`.
package struct WebsiteResponse: Hashable, Sendable, Codable {
    /// A script of the browser SDK.
    package struct Script: Hashable, Sendable, Codable {
        package var name: String
        package var integrity: String

        package init(name: String, integrity: String) {
            self.name = name
            self.integrity = integrity
        }
    }

    /// Absent when the server's public address is not configured.
    package var server: String?
    package var version: String
    package var scripts: [Script]
    package var allowedOrigins: [String]
    /// Absent when the app has no key pair for Web Push.
    package var publicKey: String?

    package init(
        server: String?, version: String, scripts: [Script], allowedOrigins: [String], publicKey: String?
    ) {
        self.server = server
        self.version = version
        self.scripts = scripts
        self.allowedOrigins = allowedOrigins
        self.publicKey = publicKey
    }
}

extension WebsiteResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "version": .string().described("The browser SDK's; its files are served at `/sdk/VERSION/NAME`."),
            "scripts": .list(of: .of(Script.self)),
            "allowedOrigins": .list(of: .string()).described("The websites whose pages may call."),
        ],
        optional: [
            "server": .string().described("The server's public address. Absent: it was not told one."),
            "publicKey": .string().described("Absent: the app has no key pair for Web Push."),
        ]
    )
}

extension WebsiteResponse.Script: Described {
    static let schemaName = "WebsiteScript"
    static let schema: JSONSchema = .object([
        "name": .string(), "integrity": .string().described("For the attribute `integrity`: `sha384-` and base64."),
    ])
}
