import AsyncHTTPClient
import Belfry
import BelfryAPI
import BelfryModel
import BelfryPhone
import BelfryServerModel
import Foundation
import Logging
import ServiceLifecycle

/// The pages beside the demonstration's server: the phones, and a website for the user's own browser.
struct DemoPages: Sendable {
    /// The addresses of the pages.
    struct Addresses: Sendable {
        let phone: String
        let browser: String
    }

    let admin: AdminClient
    let world: DemoWorld
    /// The folder in which the phones keep their data.
    let folder: URL

    /// Serves the pages until the demonstration ends.
    ///
    /// - Parameter say: receives the addresses.
    func serve(_ say: (Addresses) async throws -> Void) async throws {
        let http = PhoneAPNs.http()
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await serve(http, say))
        } catch {
            outcome = .failure(error)
        }
        try await http.shutdown()
        try outcome.get()
    }

    /// The website starts first, because the phones' page links to it.
    private func serve(_ http: HTTPClient, _ say: (Addresses) async throws -> Void) async throws {
        var logger = Logger(label: "belfry.pages", factory: { OneLineLogHandler.standardError(label: $0) })
        logger.logLevel = .warning
        let (websitePorts, hasWebsite) = AsyncStream.makeStream(of: Int.self)
        let (phonePorts, hasPhones) = AsyncStream.makeStream(of: Int.self)
        let website = DemoWebsite(
            admin: admin, server: world.server.absoluteString, version: BelfryVersion.sdk, logger: logger
        ) { hasWebsite.yield($0) }
        async let websiteEnd: Void = run(website, then: hasWebsite)
        if let port = await websitePorts.first(where: { _ in true }) {
            let browser = "http://127.0.0.1:\(port)"
            let phones = PhoneServer(
                world: phoneWorld(http), port: 0, beside: URLText.url(browser), logger: logger
            ) { hasPhones.yield($0) }
            async let phonesEnd: Void = run(phones, then: hasPhones)
            if let phone = await phonePorts.first(where: { _ in true }) {
                try await open(to: browser)
                try await say(Addresses(phone: "http://127.0.0.1:\(phone)/phone", browser: browser))
            }
            try await phonesEnd
        }
        try await websiteEnd
    }

    private func phoneWorld(_ http: HTTPClient) -> PhoneWorld {
        PhoneWorld(
            appCode: DemoApp.code, serverURL: world.server, directory: folder,
            transport: HTTPTransport(serverURL: world.server),
            pushService: PhoneAPNs(
                control: SimulatorControl(address: world.pushControl, http: http, environment: .live),
                topic: DemoCredentials.topic
            ),
            environment: .live
        )
    }

    /// Allows the website's pages to call the server.
    private func open(to website: String) async throws {
        var change = AppSettingsChange()
        change.allowedOrigins = .set([website])
        _ = try await admin.call(SettingsRoutes.changeSettings, DemoApp.code, body: change)
    }

    private func run(_ pages: any Service, then isListening: AsyncStream<Int>.Continuation) async throws {
        defer { isListening.finish() }
        try await pages.run()
    }
}
