import AsyncHTTPClient
import BelfryDelivery
import BelfryPush
import BelfryServices
import NIOCore
import NIOPosix
import NIOSSL

/// Speaks to authorization servers (PUSH-2), and to the identity provider of the console (CON-3). Each call has a client
/// of its own: there are few an hour, and so it goes to an address that was found and checked for this very call (SEC-5).
struct HTTPTokenExchange: AccessTokenExchange {
    /// From the look-up of the name to the end of the answer.
    static let timeout = TimeAmount.seconds(10)
    static let maximumResponseBytes = 65_536

    let group: any EventLoopGroup
    /// Which addresses it may speak to.
    let settings: DeliverySettings
    var timeout = Self.timeout

    func post(_ request: AccessTokenRequest, trustRoots: [String]) async throws -> (status: Int, body: [UInt8]) {
        try await send(.posting(request.body, to: request.uri), trustRoots: trustRoots)
    }

    /// One request as it goes out.
    struct Call: Sendable {
        let uri: TokenURI
        /// What is posted as a form; nil: the address is read.
        let form: [UInt8]?
        var headers: [(String, String)] = []

        static func posting(_ form: [UInt8], to uri: TokenURI) -> Call { Call(uri: uri, form: form) }
    }

    func send(
        _ request: Call, trustRoots: [String], upTo maximumBytes: Int = Self.maximumResponseBytes
    ) async throws -> (status: Int, body: [UInt8]) {
        let deadline = NIODeadline.now() + timeout
        let server = request.uri
        let addresses = try await addresses(of: server, by: deadline)
        // What is said without TLS can be heard by all but this machine.
        guard server.isSecure || addresses.allSatisfy(\.isLoopback) else { throw AccessTokenExchangeError.notEncrypted }
        let tls = try Self.tls(trustRoots)
        // Asked twice, it makes another token, and that is all.
        for address in addresses.dropLast() {
            do {
                return try await send(request, at: address, tls: tls, upTo: maximumBytes, by: deadline)
            } catch AccessTokenExchangeError.noConnection {
                continue
            }
        }
        guard let last = addresses.last else { throw AccessTokenExchangeError.unknownHost }
        return try await send(request, at: last, tls: tls, upTo: maximumBytes, by: deadline)
    }

    /// One address of IPv4 and one of IPv6, in the system's order: which of them can be reached shows when it is tried.
    private func addresses(of server: TokenURI, by deadline: NIODeadline) async throws -> [SocketAddress] {
        let loop = group.next()
        let found = loop.makePromise(of: [SocketAddress].self)
        // Whichever comes second changes nothing.
        let late = loop.scheduleTask(deadline: deadline) { found.fail(AccessTokenExchangeError.timeout) }
        HostLookup.addresses(
            of: server.host, port: server.port, allowedBy: settings, on: .singleton, eventLoop: loop
        )
        .whenComplete { result in
            late.cancel()
            found.completeWith(result)
        }
        do {
            let all = try await found.futureResult.get()
            guard let first = all.first else { return [] }
            return [first] + all.filter { $0.protocol != first.protocol }.prefix(1)
        } catch HostLookupError.privateAddress {
            throw AccessTokenExchangeError.privateAddress
        } catch HostLookupError.unknownHost {
            throw AccessTokenExchangeError.unknownHost
        }
    }

    private func send(
        _ request: Call, at address: SocketAddress, tls: TLSConfiguration, upTo maximumBytes: Int,
        by deadline: NIODeadline
    ) async throws -> (status: Int, body: [UInt8]) {
        let server = request.uri
        let client = HTTPClient(
            eventLoopGroupProvider: .shared(group),
            configuration: Self.configuration(server, at: address, tls: tls, by: deadline)
        )
        let outcome: Result<(status: Int, body: [UInt8]), any Error>
        do {
            let response = try await client.exchange(Self.call(request), upTo: maximumBytes, deadline: deadline)
            outcome = .success((response.status, Array(response.body.readableBytesView)))
        } catch {
            outcome = .failure(error)
        }
        // The answer is here, however the connection ends.
        try? await client.shutdown()
        do {
            return try outcome.get()
        } catch {
            try Task.checkCancellation()
            throw Self.exchangeError(error)
        }
    }

    private static func call(_ request: Call) -> HTTPClientRequest {
        let server = request.uri
        let name = server.host.contains(":") ? "[\(server.host)]" : server.host
        let scheme = server.isSecure ? "https" : "http"
        var call = HTTPClientRequest(url: "\(scheme)://\(name):\(server.port)\(server.path)")
        call.headers.add(name: "Accept", value: "application/json")
        for (name, value) in request.headers { call.headers.add(name: name, value: value) }
        guard let form = request.form else { return call }
        call.method = .POST
        call.headers.add(name: "Content-Type", value: AccessTokenRequest.contentType)
        call.body = .bytes(ByteBuffer(bytes: form))
        return call
    }

    /// The name stays that of the certificate; the connection goes to the address.
    private static func configuration(
        _ server: TokenURI, at address: SocketAddress, tls: TLSConfiguration, by deadline: NIODeadline
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        // The client's own ten seconds would be over first where the whole call has longer.
        configuration.timeout = .init(connect: max(.milliseconds(1), deadline - .now()))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.limitInformationalResponses()
        if let address = address.ipAddress { configuration.dnsOverride = [server.host: address] }
        return configuration
    }

    static func tls(_ trustRoots: [String]) throws(AccessTokenExchangeError) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        guard !trustRoots.isEmpty else { return tls }
        let certificates = trustRoots.map { (try? NIOSSLCertificate.fromPEMBytes(Array($0.utf8))) ?? [] }
        guard certificates.allSatisfy({ !$0.isEmpty }) else { throw .unusableTrustRoots }
        tls.trustRoots = .certificates(certificates.flatMap { $0 })
        return tls
    }

    private static func exchangeError(_ error: any Error) -> AccessTokenExchangeError {
        switch error {
        case let error as HTTPClientError where timeouts.contains(error): .timeout
        case is NIOTooManyBytesError, is InformationalResponseLimit.Exceeded: .answerTooLong
        default: .noConnection
        }
    }

    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .readTimeout, .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout,
    ]
}
