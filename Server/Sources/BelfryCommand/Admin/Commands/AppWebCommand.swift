import ArgumentParser
import BelfryAPI
import BelfryBrowser
import BelfryModel

struct AppWebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Print what to paste into a website that uses the app.",
        discussion: """
            It prints the lines for a page, for the website's own service worker and for its content security policy, \
            with the integrity hashes of this server's version of the browser SDK. Print them again after an upgrade of \
            the server.
            """
    )

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Option(help: "The server's address for browsers. (default: its --public-url, else the address of this call)")
    var publicURL: String?

    func validate() throws {
        guard let publicURL, PublicURL(publicURL) == nil else { return }
        throw ValidationError("--public-url must be \(PublicURL.form).")
    }

    func run() async throws {
        let code = try AppCode(app)
        let (found, address) = try await admin.withConnections { address, http in
            let client = try admin.client(of: address, over: http)
            return (try await client.call(WebsiteRoutes.readWebsite, app), address)
        }
        let server = publicURL.flatMap { PublicURL($0)?.origin } ?? found.server ?? address
        let website = Website(found, server: server, app: code)
        try admin.show(website) { $0.text }
    }
}

/// What a website needs to use the app, and the lines to paste into its pages.
struct Website: Hashable, Sendable, Encodable {
    struct Script: Hashable, Sendable, Encodable {
        let name: String
        let url: String
        let integrity: String
    }

    let server: String
    let version: String
    let scripts: [Script]
    let page: String
    let worker: String
    let policy: String
    let allowedOrigins: [String]
    let publicKey: String?
    /// What must still be configured before a website can use the app.
    let missing: [String]

    init(_ found: WebsiteResponse, server: String, app: AppCode) {
        let lines = WebsiteLines(
            server: server, app: app.rawValue, version: found.version,
            scripts: found.scripts.map { WebsiteLines.Script(name: $0.name, integrity: $0.integrity) }
        )
        self.server = server
        version = found.version
        scripts = found.scripts.map { script in
            Script(
                name: script.name, url: "\(server)\(BrowserSDK.path)/\(found.version)/\(script.name)",
                integrity: script.integrity
            )
        }
        (page, worker, policy) = (lines.page, lines.worker, lines.policy)
        allowedOrigins = found.allowedOrigins
        publicKey = found.publicKey
        var missing: [String] = []
        if found.allowedOrigins.isEmpty {
            missing.append(
                "No website may call yet: belfry app settings \(app.rawValue) --allowed-origin https://www.example.com")
        }
        if found.publicKey == nil {
            missing.append(
                "There is no key pair for Web Push yet, so no browser gets pushes: "
                    + "belfry app credentials webpush \(app.rawValue) --help")
        }
        self.missing = missing
    }

    var text: String {
        let origins =
            allowedOrigins.isEmpty ? [] : ["Websites that may call: \(allowedOrigins.joined(separator: ", "))"]
        return
            ([
                "Into the <head> of each page (browser SDK \(version)):", page,
                "Into the website's own service worker, a module of its own origin, here \(WebsiteLines.workerPath):",
                worker,
                "Add this to the website's content security policy, if it has one (with a nonce for the lines of the page):",
                policy,
            ] + origins + missing)
            .joined(separator: "\n\n")
    }
}
