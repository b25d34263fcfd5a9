import BelfryAPI
import BelfryModel
import Crypto
import Foundation

/// A `belfry simulate push-services`, spoken to as other programs do.
struct PushServicesProcess: Sendable {
    static let topic = "org.example.shop"
    static let projectID = "example-shop"

    /// A device as a push service knows it.
    struct Place: Sendable {
        let provider: PushProvider
        let token: String
        /// The address of the control API.
        fileprivate let path: String
    }

    /// The notifications that a device shows.
    struct Shown: Sendable, Equatable, Decodable {
        let title: String?
        let body: String?
    }

    /// By the names in its announcement.
    let addresses: [String: String]
    let trustRoots: String
    private let http: HTTPCaller
    private let run: ProgramRun

    fileprivate init(addresses: [String: String], trustRoots: String, http: HTTPCaller, run: ProgramRun) {
        self.addresses = addresses
        self.trustRoots = trustRoots
        self.http = http
        self.run = run
    }

    /// Ends them as a power cut would, and waits until they are gone.
    func kill9() async {
        run.send(SIGKILL)
        _ = await run.exit
    }

    var control: String { addresses["Control API"] ?? "" }

    /// Gives the app what it needs to send by all of them.
    ///
    /// - Returns: the key that browsers subscribe with.
    func putCredentials(_ admin: AdminCaller) async throws -> String {
        let key = P256.Signing.PrivateKey()
        let keyBody = [
            "teamId": "TEAM123456", "keyId": "KEY1234567", "publicKey": key.publicKey.pemRepresentation,
        ]
        try await call("/keys", keyBody)
        try await admin.putCredentials(
            APNsCredentialsRequest(
                teamId: "TEAM123456", keyId: "KEY1234567", topic: Self.topic, privateKey: key.pemRepresentation,
                endpoint: addresses["APNs production"], sandboxEndpoint: addresses["APNs sandbox"],
                trustRoots: trustRoots
            )
        )
        let account = try await call("/fcm/service-accounts", ["projectId": Self.projectID])
        let fcm = FCMCredentialsRequest(
            serviceAccount: String(decoding: account.body, as: UTF8.self), endpoint: addresses["FCM"],
            trustRoots: trustRoots
        )
        _ = try await admin.send(.PUT, admin.path("credentials/fcm"), fcm, as: FCMCredentialsResponse.self)
        let webPush = WebPushCredentialsRequest(
            subject: "mailto:ops@example.com", privateKey: P256.Signing.PrivateKey().pemRepresentation,
            trustRoots: trustRoots
        )
        let path = admin.path("credentials/webpush")
        return try await admin.send(.PUT, path, webPush, as: WebPushCredentialsResponse.self).publicKey
    }

    /// A device registers with one of them.
    func register(
        _ provider: PushProvider, applicationServerKey: String = "", environment: PushEnvironment = .production
    ) async throws -> Place {
        struct Token: Decodable { let token: String }
        struct Subscription: Decodable { let id: String }
        switch provider {
        case .apns:
            let body = ["topic": Self.topic, "environment": environment.rawValue]
            let token = try await call("/tokens", body).decoded(as: Token.self).token
            return Place(provider: provider, token: token, path: "/tokens/\(token)")
        case .fcm:
            let token = try await call("/fcm/tokens", ["projectId": Self.projectID]).decoded(as: Token.self).token
            return Place(provider: provider, token: token, path: "/fcm/tokens/\(token)")
        case .webpush:
            let response = try await call(
                "/webpush/subscriptions", ["applicationServerKey": applicationServerKey]
            )
            let id = try response.decoded(as: Subscription.self).id
            let token = try response.decoded(as: BrowserSubscription.self).text
            return Place(provider: provider, token: token, path: "/webpush/subscriptions/\(id)")
        }
    }

    /// The app is deleted, the subscription ended.
    func end(_ place: Place) async throws {
        let state = place.provider == .webpush ? "unsubscribed" : "unregistered"
        let body = try JSONEncoder().encode(["state": state])
        _ = try await http.call(.PUT, control + place.path, body: body)
    }

    /// The notifications that have arrived at a device.
    func shown(at place: Place) async throws -> [Shown] {
        struct Arrival: Decodable { let payload: String }
        struct APNsPayload: Decodable {
            struct Aps: Decodable { let alert: Shown }
            let aps: Aps
        }
        struct WebPushPayload: Decodable { let notification: Shown }
        let response = try await http.call(.GET, "\(control)\(place.path)/notifications")
        let decoder = JSONDecoder()
        switch place.provider {
        case .apns:
            return try response.decoded(as: [Arrival].self).map {
                try decoder.decode(APNsPayload.self, from: Data($0.payload.utf8)).aps.alert
            }
        case .fcm: return try response.decoded(as: [Shown].self)
        case .webpush:
            return try response.decoded(as: [Arrival].self).map {
                try decoder.decode(WebPushPayload.self, from: Data($0.payload.utf8)).notification
            }
        }
    }

    /// A push as it came to a device.
    struct Arrival: Sendable {
        /// The payload of APNs, or the request of FCM.
        let bytes: [UInt8]
        let collapseID: String?
    }

    /// The pushes that have arrived at a device, as its client gets them.
    func arrivals(at place: Place) async throws -> [Arrival] {
        struct Entry: Decodable {
            let payload: String?
            let request: String?
            let collapseId: String?
        }
        let response = try await http.call(.GET, "\(control)\(place.path)/notifications")
        return try response.decoded(as: [Entry].self).map {
            Arrival(bytes: Array(($0.payload ?? $0.request ?? "").utf8), collapseID: $0.collapseId)
        }
    }

    @discardableResult
    private func call(_ path: String, _ body: [String: String]) async throws -> HTTPCaller.Response {
        try await http.call(.POST, control + path, body: try JSONEncoder().encode(body))
    }
}

extension Stage {
    /// Runs simulated push services in a process of their own, and ends them, however the body ends.
    ///
    /// - Parameters:
    ///   - names: other hosts that they answer for.
    ///   - options: more of them.
    func withPushServices(
        names: [String] = [], options: [String] = [], _ body: (PushServicesProcess) async throws -> Void
    ) async throws {
        let trustRoots = folder.appending(path: "root.pem")
        var arguments = ["simulate", "push-services", "--trust-root-file", trustRoots.path]
        for name in names { arguments += ["--server-name", name] }
        arguments += options
        try await withProgram(arguments) { run in
            var addresses: [String: String] = [:]
            for await line in run.lines {
                guard let gap = line.firstRange(of: "  ") else { continue }
                let value = line[gap.upperBound...].trimmingCharacters(in: .whitespaces)
                addresses[String(line[..<gap.lowerBound])] = value
                if line.hasPrefix("Seed") { break }
            }
            let root = try String(contentsOf: trustRoots, encoding: .utf8)
            try await body(PushServicesProcess(addresses: addresses, trustRoots: root, http: http, run: run))
        }
    }

    /// Runs `belfry` beside the body, and ends it, however the body ends.
    func withProgram(_ arguments: [String], _ body: (ProgramRun) async throws -> Void) async throws {
        let run = try ProgramRun.start(arguments, folder: folder)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(run))
        } catch {
            outcome = .failure(error)
        }
        run.send(SIGKILL)
        _ = await run.exit
        try outcome.get()
    }
}
