import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Crypto
import Foundation

@testable import BelfryConsole

/// What stories about campaigns have in common: an app with devices, and the forms that people send.
struct CampaignStory: Sendable {
    let console: TestConsole
    let app: AppService.App

    static let list = "/console/apps/shop/campaigns"

    /// An app `shop` with two attributes.
    ///
    /// - Parameters:
    ///   - devices: so many have a push token; one more has none.
    ///   - hasCredentials: whether anything can be sent.
    init(_ console: TestConsole, devices: Int = 0, hasCredentials: Bool = true) async throws {
        self.console = console
        app = try await console.services.apps.create(code: "shop", name: "Shop").app
        try await console.services.apps.defineAttribute("city", type: .string, app: app)
        try await console.services.apps.defineAttribute("visits", type: .number, app: app)
        if hasCredentials { try await console.services.apps.putAPNsCredentials(Self.credentials, app: app) }
        guard devices > 0 else { return }
        let (number, now) = (app.id, console.clock.now)
        let fleet = (1...devices + 1).map { index in
            WrittenDevice(client: Self.device(index), token: "token\(index)", environment: .production)
        }
        try await console.database.write { connection in
            try connection.write(fleet, app: number, now: now)
            try connection.execute(
                "UPDATE devices SET push_token = NULL, push_provider = NULL WHERE client_id = ?",
                [.text(Self.device(devices + 1))]
            )
            try connection.audiences.rebuild(app: number)
        }
    }

    /// From now on a campaign of the app needs an approval.
    func askForApprovals() async throws {
        var change = AppSettingsChange()
        change.requiresApproval = .set(true)
        _ = try await console.services.apps.changeSettings(change, of: app)
    }

    static var credentials: CredentialVault.APNsSecret {
        CredentialVault.APNsSecret(
            teamID: "TEAM123456", keyID: "KEY1234567", topic: "com.example.shop",
            privateKey: P256.Signing.PrivateKey().pemRepresentation, endpoint: nil, sandboxEndpoint: nil,
            trustRoots: nil
        )
    }

    static func device(_ number: Int) -> String {
        let digits = String(number)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    static let form = [
        "name": "Autumn sale", "title": "Hello {{city}}", "body": "Only today", "audience": "everyone", "when": "now",
    ]

    /// A person of the app with a browser.
    func person(_ role: UserRole) async throws -> Browser {
        try await console.visitor(as: role.rawValue, roles: [app.id: role])
    }

    /// Composes a push and returns its id, by the address to which the form leads.
    func compose(_ browser: Browser, _ changes: [String: String] = [:]) async throws -> CampaignID? {
        let form = Self.form.merging(["title": "Hello"]) { $1 }.merging(changes) { $1 }
        let answer = try await browser.submit("\(Self.list)/new", form)
        return Self.id(answer)
    }

    static func id(_ answer: Browser.Answer) -> CampaignID? {
        answer.headers[.location].flatMap { CampaignID(String($0.split(separator: "/").last ?? "")) }
    }
}

extension Browser.Answer {
    /// The value of a hidden field of the first form that has it.
    func hidden(_ name: String) -> String {
        guard let start = text.range(of: "name=\"\(name)\" value=\"") else { return "" }
        return String(text[start.upperBound...].prefix { $0 != "\"" })
    }
}
