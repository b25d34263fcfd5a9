import ArgumentParser
import AsyncHTTPClient
import BelfryModel
import Foundation
import NIOCore
import NIOSSL

/// The server's address and the admin key, as options that the commands share.
struct AdminOptions: ParsableArguments {
    @Option(help: "The server's address. (default: $BELFRY_SERVER, else http://127.0.0.1:8080)")
    var server: String?

    @Option(help: "The file with the admin key. (default: $BELFRY_ADMIN_KEY, else data/admin-key)")
    var keyFile: String?

    @Option(
        name: .customLong("ca"),
        help: "A PEM file with the certificates to trust instead of the system's. (default: $BELFRY_CA)"
    )
    var authorities: String?

    @Flag(help: "Print JSON for programs.")
    var json = false

    func validate() throws {
        _ = try address()
    }

    /// Runs a command's calls and closes its connections, also after an error.
    func withClient<Value>(_ body: (AdminClient) async throws -> Value) async throws -> Value {
        try await withConnections { address, http in try await body(try client(of: address, over: http)) }
    }

    /// A client that sends its calls over these connections. Throws when there is no key.
    func client(of address: String, over http: HTTPClient) throws -> AdminClient {
        let key = try AdminKey.read(file: keyFile, environment: environment)
        return AdminClient(
            server: address, key: key, http: http, newWriteKey: AdminClient.liveWriteKey, rest: AdminClient.liveRest
        )
    }

    /// Runs calls that need no key, and closes their connections, also after an error.
    ///
    /// - Parameters:
    ///   - names: addresses by host name, used instead of DNS. A certificate must still be for the name.
    ///   - limit: the time limit for connecting, TLS included.
    func withConnections<Value>(
        resolving names: [String: String] = [:], connectingWithin limit: TimeAmount = AdminClient.connectTimeout,
        _ body: (_ address: String, _ http: HTTPClient) async throws -> Value
    ) async throws -> Value {
        let address = try address()
        var configuration = try connection(within: limit)
        configuration.dnsOverride = names
        let http = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(address.text, http))
        } catch {
            outcome = .failure(error)
        }
        // The calls are complete, so a failed close of the connections changes nothing.
        try? await http.shutdown()
        return try outcome.get()
    }

    /// Prints a response: as JSON for programs, otherwise as the lines that `text` makes.
    func show<Response: Encodable>(_ answer: Response, _ text: (Response) throws -> String) throws {
        // Makes every line printable, so that a field that was not expected to contain foreign text cannot send escapes
        // to the terminal.
        guard json else { return print(try text(answer).printableLines) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(answer), as: UTF8.self).printableJSON)
    }

    private var environment: [String: String] { ProcessInfo.processInfo.environment }

    private func connection(within limit: TimeAmount) throws -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = try trust()
        // Without retries, a person learns immediately that nothing listens there. Without redirects, the key goes only
        // to the server that was named.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout = .init(connect: limit)
        configuration.redirectConfiguration = .disallow
        return configuration
    }

    /// Nil for the system's certificates. An operator's own server may have a certificate that only the operator has
    /// signed.
    private func trust() throws -> TLSConfiguration? {
        let variable = environment["BELFRY_CA"].flatMap { $0.isEmpty ? nil : $0 }
        guard let path = authorities ?? variable else { return nil }
        let file = InputFile(path, option: authorities == nil ? "BELFRY_CA" : "--ca")
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try file.certificates())
        return tls
    }

    private func address() throws -> ServerAddress {
        let variable = environment["BELFRY_SERVER"].flatMap { $0.isEmpty ? nil : $0 }
        let text = server ?? variable ?? ServerAddress.standard
        guard let address = ServerAddress(text) else {
            let origin = server == nil ? "BELFRY_SERVER" : "--server"
            throw ValidationError(
                "\(origin) is '\(text.prefix(128).printable)', which is not a server address: "
                    + "write it like \(ServerAddress.standard) or https://belfry.example.com."
            )
        }
        return address
    }
}

/// The base address of a server: `http://HOST:PORT` or `https://HOST`, with the path that a proxy may require and
/// without a slash at the end.
struct ServerAddress: Hashable, Sendable {
    static let standard = "http://127.0.0.1:8080"

    let text: String

    /// Returns nil for a text that is not such an address.
    init?(_ text: String) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), let url = URLText.url(text),
            ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host, !host.isEmpty,
            (1...65_535).contains(url.port ?? 80), url.query == nil, url.fragment == nil, url.user == nil
        else { return nil }
        var bytes = text.utf8[...]
        while bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        self.text = String(Substring(bytes))
    }
}
