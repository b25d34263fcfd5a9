import AsyncHTTPClient
import BelfryDelivery
import BelfryPush
import BelfryServices
import NIOCore
import NIOPosix
import NIOSSL

/// Calls authorization servers (PUSH-2) and the console's identity provider (CON-3). Each call has its own client:
/// there are only a few calls per hour, and in this way a call goes to an address that was resolved and checked for
/// this very call (SEC-5).
struct HTTPTokenExchange: AccessTokenExchange {
    /// The time limit from the name look-up to the end of the response.
    static let timeout = TimeAmount.seconds(10)
    static let maximumResponseBytes = 65_536

    let group: any EventLoopGroup
    /// The settings that tell which addresses are allowed.
    let settings: DeliverySettings
    var timeout = Self.timeout

    func post(_ request: AccessTokenRequest, trustRoots: [String]) async throws -> (status: Int, body: [UInt8]) {
        try await send(.posting(request.body, to: request.uri), trustRoots: trustRoots)
    }

    /// One request.
    struct Call: Sendable {
        let uri: TokenURI
        /// The body of a POST as a form; nil: a GET.
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
        // Without TLS anybody on the way can read the request, so only loopback is allowed.
        guard server.isSecure || addresses.allSatisfy(\.isLoopback) else { throw AccessTokenExchangeError.notEncrypted }
        let tls = try Self.tls(trustRoots)
        // A repeated request only creates another token, so the next address may be tried.
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

    /// One IPv4 and one IPv6 address, in the system's order. Only a try shows which of them can be reached.
    private func addresses(of server: TokenURI, by deadline: NIODeadline) async throws -> [SocketAddress] {
        let loop = group.next()
        let found = loop.makePromise(of: [SocketAddress].self)
        // Only the first of the two results counts.
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
        // The response is complete, so a failed close of the connection changes nothing.
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
        let name = server.host.utf8.contains(UInt8(ascii: ":")) ? "[\(server.host)]" : server.host
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

    /// The client's configuration: the certificate is checked against the name, and the connection goes to the given
    /// address.
    private static func configuration(
        _ server: TokenURI, at address: SocketAddress, tls: TLSConfiguration, by deadline: NIODeadline
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        // The library's default connect time-out of 10 s would end a call that has more time.
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
        case is NIOTooManyBytesError, is InformationalResponseLimit.Exceeded: .responseTooLong
        default: .noConnection
        }
    }

    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .readTimeout, .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout,
    ]
}
