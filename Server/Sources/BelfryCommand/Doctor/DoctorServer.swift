import AsyncHTTPClient
import BelfryAPI
import BelfryModel
import BelfryServices
import BelfryStore
import BelfryWire
import Foundation
import NIOCore
import NIOSSL

/// A running server, as a client of its API sees it.
struct DoctorServer: Sendable {
    /// The time limit for a response, and for a connection as well: a server that refuses connections does so
    /// immediately, and a slow one is slow in both.
    private static let timeout = TimeAmount.seconds(10)
    private static let maximumBytes = 65_536
    private static let ready = Data(#"{"status":"ready"}"#.utf8)

    /// The results of visiting the server.
    struct Visit: Sendable {
        var server: ServerCheck
        /// How far this machine's clock is ahead of the `Date` in the response, in seconds, beyond the duration of the
        /// call itself.
        var ahead: TimeInterval?
        var proxy: ProxyCheck?
        var credentials: CredentialsCheck?
        var quarantine: QuarantineCheck?

        var isBelfry: Bool {
            server.state.isBelfry
        }

        /// Whether it is or may be a Belfry server, including one whose certificate does not allow a request.
        var mayBeBelfry: Bool {
            switch server.state {
            case .ready, .notReady, .locked, .misnamed, .untrusted, .silent: true
            case .foreign, .unreachable: false
            }
        }

        func add(to report: inout DoctorReport) {
            report.add(server)
            if let proxy { report.add(proxy) }
            if let credentials { report.add(credentials) }
            if let quarantine { report.add(quarantine) }
        }
    }

    /// A response, with the times by this machine's clock at which it was requested and at which it began to arrive.
    struct Response: Sendable {
        let status: Int
        let body: Data
        let asked: Date
        let answered: Date
        /// The time by the server's clock.
        let date: Date?

        /// How far this machine's clock is ahead, in seconds; nil: the response has no date.
        var ahead: TimeInterval? {
            date.map { ClockCheck.ahead(of: $0, asked: asked, answered: answered) }
        }
    }

    let client: AdminClient

    /// Visits a server at each of its addresses until one of them leads to it.
    ///
    /// - Returns: nil only when there are no addresses.
    static func visit(
        _ admin: AdminOptions, at addresses: [OwnAddress], now: @escaping @Sendable () -> Date
    ) async -> Visit? {
        guard let listening = addresses.last?.text else { return nil }
        var last: Visit?
        var misfits: [String] = []
        for address in addresses {
            var admin = admin
            admin.server = address.text
            var visit = await Self.visit(admin, resolving: address.names, isDirect: true, now: now)
            var state = visit.server.state
            if case .misnamed(let hosts) = state {
                misfits += hosts
                state = .misnamed(hosts: misfits)
            }
            // The server is there, although its certificate does not fit this name.
            visit.server = ServerCheck(address: listening, state: state)
            if visit.isBelfry { return visit }
            last = visit
        }
        return last
    }

    /// - Parameters:
    ///   - names: addresses by host name, used instead of DNS.
    ///   - isDirect: whether it is known that there is no proxy between this machine and the server, regardless of the
    ///     host.
    static func visit(
        _ admin: AdminOptions, resolving names: [String: String] = [:], isDirect: Bool = false,
        now: @escaping @Sendable () -> Date
    ) async -> Visit {
        do {
            return try await admin.withConnections(resolving: names, connectingWithin: timeout) { address, http in
                let (state, ahead) = await look(at: address, http, now: now)
                var visit = Visit(server: ServerCheck(address: address, state: state), ahead: ahead)
                guard visit.isBelfry else { return visit }
                do {
                    let server = DoctorServer(client: try admin.client(of: address, over: http))
                    visit.proxy = try await server.proxy(isDirect: isDirect)
                    visit.credentials = try await server.credentials()
                    visit.quarantine = try await server.quarantine()
                } catch  where state == .ready {
                    visit.server = ServerCheck(address: address, state: .locked(reason: "\(error)"))
                } catch {
                    // The reason why the server is not ready is already in the visit.
                }
                return visit
            }
        } catch {
            return Visit(server: ServerCheck(address: admin.server ?? "", state: .unreachable(reason: "\(error)")))
        }
    }

    /// Who answers on a port that is in use. No secret is sent, so any certificate is accepted.
    static func occupant(at address: String) async -> PortCheck.Occupant {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = tls
        configuration.timeout = .init(connect: timeout)
        // Without this, the library retries a refused connection until the time limit.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .disallow
        let http = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        let state = await look(at: address, http, now: { .distantPast }).state
        // The response is complete, so a failed close of the connection changes nothing.
        try? await http.shutdown()
        if case .silent = state { return .silent }
        return state.isBelfry ? .belfry : .otherProgram
    }

    /// The server's state and clock, as its readiness endpoint tells them to a caller without a key.
    static func look(
        at address: String, _ http: HTTPClient, now: () -> Date
    ) async -> (state: ServerCheck.State, ahead: TimeInterval?) {
        let response: Response
        do {
            response = try await get(address + "/readyz", http, now: now)
        } catch {
            return (ServerCheck.State(error, at: address), nil)
        }
        let ahead = response.ahead
        if response.status == 200, response.body == ready { return (.ready, ahead) }
        let body = try? CheckedJSON.decode(ErrorBody.self, from: response.body)
        guard response.status == 503, let error = body?.error else {
            return (.foreign, nil)
        }
        return (.notReady(reason: error.message), ahead)
    }

    static func get(_ url: String, _ http: HTTPClient, now: () -> Date) async throws -> Response {
        try await patiently {
            let asked = now()
            let response = try await http.execute(HTTPClientRequest(url: url), timeout: timeout)
            let answered = now()
            let body = try await response.body.collect(upTo: maximumBytes)
            return Response(
                status: Int(response.status.code), body: Data(body.readableBytesView), asked: asked,
                answered: answered, date: response.headers.first(name: "date").flatMap(HTTPDate.date)
            )
        }
    }

    /// Asks a second time after a time-out: one of the two machines may only have stood still for a while.
    static func patiently<Value>(_ ask: () async throws -> Value) async throws -> Value {
        do {
            return try await ask()
        } catch let error where NoResponse(error).isTimeout {
            return try await ask()
        }
    }

    /// How the server sees a call over this address.
    private func proxy(isDirect: Bool) async throws -> ProxyCheck {
        let seen: ServerViewResponse = try await client.call(ServerRoutes.readServer)
        let host = URLText.url(client.server)?.host ?? ""
        return ProxyCheck(
            peer: seen.peer, isForwarded: seen.isForwarded, isTrusted: seen.isProxyTrusted,
            isDirect: isDirect || Self.isThisMachine(host)
        )
    }

    /// Whether a host means this machine, which the unspecified address does too.
    private static func isThisMachine(_ host: String) -> Bool {
        EndpointPolicy.standard(listeningOn: host) == .loopback || IPAddress(host)?.isUnspecified == true
    }

    /// Lets the server itself test its credentials with the push services: if the doctor used another provider token of
    /// the same key, APNs would reject both.
    private func credentials() async throws -> CredentialsCheck {
        var check = CredentialsCheck()
        var cursor: String?
        repeat {
            let page: AppListResponse = try await client.call(
                AppRoutes.listApps, query: cursor.map { "cursor=\($0.pathSegment)" } ?? "")
            for app in page.apps {
                let stored: CredentialListResponse = try await client.call(CredentialRoutes.listCredentials, app.code)
                let providers = [
                    stored.apns == nil ? nil : PushProvider.apns, stored.fcm == nil ? nil : .fcm,
                    stored.webpush == nil ? nil : .webpush,
                ].compactMap { $0 }
                if providers.isEmpty { check.bare.append(app.code) }
                for provider in providers {
                    let response: CredentialCheckResponse = try await client.call(
                        CredentialRoutes.checkCredentials(of: provider), app.code)
                    check.entries.append(.init(app: app.code, provider: provider, result: response.meaning))
                }
            }
            cursor = page.cursor
        } while cursor != nil
        return check
    }

    private func quarantine() async throws -> QuarantineCheck {
        let page: QuarantineResponse = try await client.call(QuarantineRoutes.listQuarantine)
        let kinds = page.work.compactMap { WorkKind(rawValue: $0.kind) }
        return QuarantineCheck(counts: Dictionary(kinds.map { ($0, 1) }, uniquingKeysWith: +))
    }
}

extension ServerCheck.State {
    /// Whether the state comes from a Belfry server.
    fileprivate var isBelfry: Bool {
        switch self {
        case .ready, .notReady, .locked: true
        case .foreign, .unreachable, .silent, .misnamed, .untrusted: false
        }
    }

    /// The state for a request that got no response.
    fileprivate init(_ error: any Error, at address: String) {
        let response = NoResponse(error)
        let reason = response.text
        switch error {
        case _ where response.isTimeout: self = .silent(reason: reason)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self = .misnamed(hosts: [URLText.url(address)?.host ?? address])
        case NIOSSLError.handshakeFailed(_): self = .untrusted(reason: reason)
        default: self = .unreachable(reason: reason)
        }
    }
}

extension NoResponse {
    fileprivate var text: String {
        switch self {
        case .notConnected(let reason), .connectedTooLate(let reason), .lost(let reason): reason
        case .tooLate: "no response in time"
        }
    }
}

extension CredentialCheckResponse {
    fileprivate var meaning: CredentialCheckResult {
        switch verdict {
        case .accepted: .accepted
        case .rejected: .rejected(reason: reason ?? "")
        case .unknown: .unknown(reason: reason ?? "")
        case .unreadable: .unreadable
        }
    }
}
