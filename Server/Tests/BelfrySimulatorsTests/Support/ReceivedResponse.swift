import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// What came back for one request.
struct ReceivedResponse {
    var status: Int
    var isHTTP2: Bool
    var fields: [String: String]
    var body: String

    func json<Content: Decodable>(_ type: Content.Type = Content.self) throws -> Content {
        try JSONDecoder().decode(type, from: Data(body.utf8))
    }
}

extension HTTPClient {
    /// A client that trusts one authority and nothing else.
    static func trusting(_ rootPEM: String, _ version: Configuration.HTTPVersion = .automatic) throws -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(rootPEM.utf8), format: .pem)])
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = tls
        configuration.httpVersion = version
        // A busy machine answers late, and ten seconds, the library's, is a bound on time. A dead server refuses at once.
        configuration.timeout.connect = .minutes(5)
        return HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            configuration: configuration
        )
    }

    func call(
        _ method: String,
        _ url: String,
        fields: [String: String?] = [:],
        body: [UInt8] = []
    ) async throws -> ReceivedResponse {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method)
        for (name, value) in fields {
            if let value { request.headers.add(name: name, value: value) }
        }
        if !body.isEmpty { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await execute(request, timeout: .minutes(5))
        let content = try await response.body.collect(upTo: 1 << 20)
        let names = response.headers.map { ($0.name.lowercased(), $0.value) }
        return ReceivedResponse(
            status: Int(response.status.code),
            isHTTP2: response.version == .http2,
            fields: Dictionary(names) { first, _ in first },
            body: String(buffer: content)
        )
    }
}
