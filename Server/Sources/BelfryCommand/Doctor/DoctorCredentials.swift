import AsyncHTTPClient
import BelfryModel
import BelfryPush
import BelfryServices
import BelfryStore
import Foundation
import Logging
import NIOPosix

/// Tests the credentials in a database with the push services when the database's server is not running.
struct DoctorCredentials: Sendable {
    let configuration: ServeConfiguration
    let environment: ServerEnvironment
    /// The server's secret; nil: nothing can be decrypted.
    let secret: String?

    private var vault: CredentialVault? {
        secret.map { CredentialVault(keys: ServerKeys(secret: Array($0.utf8))) }
    }

    func check(_ apps: [DoctorDatabase.App]) async -> CredentialsCheck {
        var check = CredentialsCheck(bare: apps.filter(\.credentials.isEmpty).map(\.code))
        guard let vault else {
            check.entries = apps.flatMap { app in
                Self.sorted(app).map { .init(app: app.code, provider: $0.provider, result: .unreadable) }
            }
            return check
        }
        let group = MultiThreadedEventLoopGroup.singleton
        let settings = ServerParts.delivery(to: configuration.endpoints)
        let silent = Logger(label: "belfry.doctor") { _ in SwiftLogNoOpLogHandler() }
        let transport = DeliveryTransport(group: group, settings: settings, environment: environment, logger: silent)
        let accounts = PushAccounts(
            vault: vault, exchange: HTTPTokenExchange(group: group, settings: settings), environment: environment
        )
        let dryCall = CredentialCheck(accounts: accounts, transport: transport, environment: environment)
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await transport.run() }
            for app in apps {
                for (provider, record) in Self.sorted(app) {
                    let result = await dryCall.check(provider, app: app.id, record: record)
                    check.entries.append(.init(app: app.code, provider: provider, result: result))
                }
            }
            tasks.cancelAll()
        }
        return check
    }

    /// How far this machine's clock is ahead of the push services that send a date.
    func clocks(_ apps: [DoctorDatabase.App]) async -> [ClockCheck.Reference] {
        var places: [PushEndpoint: [String]] = [:]
        for app in apps {
            if let sealed = app.credentials[.fcm]?.sealed,
                let fcm = try? vault?.open(CredentialVault.FCMSecret.self, sealed, app: app.id)
            {
                places[fcm.endpoint] = fcm.trustRoots
            }
            if let sealed = app.credentials[.apns]?.sealed,
                let apns = try? vault?.open(CredentialVault.APNsSecret.self, sealed, app: app.id)
            {
                places[apns.endpoint(for: .production)] = apns.trustRoots
            }
        }
        var references: [ClockCheck.Reference] = []
        for (endpoint, trustRoots) in places {
            guard let ahead = await ahead(of: endpoint, trustRoots) else { continue }
            references.append(.init(name: endpoint.host, ahead: ahead))
        }
        return references.sorted { $0.name < $1.name }
    }

    /// How far this machine's clock is ahead of an endpoint's, in seconds; nil: the endpoint did not answer, or sent no
    /// date.
    private func ahead(of endpoint: PushEndpoint, _ trustRoots: [String]) async -> TimeInterval? {
        guard let tls = try? HTTPTokenExchange.tls(trustRoots) else { return nil }
        let http = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            configuration: HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        )
        let host = endpoint.host.utf8.contains(UInt8(ascii: ":")) ? "[\(endpoint.host)]" : endpoint.host
        let answer = try? await DoctorServer.get("https://\(host):\(endpoint.port)/", http, now: environment.now)
        // The response is complete, so a failed close of the connection changes nothing.
        try? await http.shutdown()
        return answer?.ahead
    }

    private static func sorted(_ app: DoctorDatabase.App) -> [(provider: PushProvider, record: CredentialRecord)] {
        PushProvider.allCases.compactMap { provider in app.credentials[provider].map { (provider, $0) } }
    }
}
