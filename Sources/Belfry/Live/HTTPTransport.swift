import BelfryModel
import Foundation

/// Sends requests over HTTP, with `URLSession`, and on Linux with libcurl: no cookies, no cache, no redirects; time-outs
/// after 30 seconds without data and after a minute in all; a maximum size of the response.
public struct HTTPTransport: Transport {
    /// The reason why a request was not sent, or its response was not accepted.
    public typealias Failure = HTTPTransportFailure

    /// The maximum size of a response body; responses of a Belfry server to a device are much smaller.
    public static let maximumResponseBytes = 4_194_304

    static let limits = HTTPLimits(
        maximumBytes: maximumResponseBytes, maximumHeaderBytes: 65_536, idleTimeout: 30, totalTimeout: 60
    )

    #if os(Linux)
        private let connection: CurlConnection
    #else
        private let connection: URLSessionConnection
    #endif
    private let origin: String

    /// Copies share their connections, so one transport serves any number of clients of a server.
    ///
    /// - Parameter serverURL: the server's origin; requests contain the whole path.
    public init(serverURL: URL) {
        connection = .init(limits: Self.limits)
        origin = serverURL.origin
    }

    /// Sends one request.
    ///
    /// - Throws: ``Failure``, `URLError` when no response arrived, or `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let url = URLText.url(origin + request.path) else { throw Failure.invalidAddress }
        // With a control character, the text could add a header.
        let isValid = request.headers.allSatisfy { Self.hasNoControl($0.key) && Self.hasNoControl($0.value) }
        guard isValid else { throw Failure.invalidHeader }
        return try await connection.response(to: request, at: url)
    }

    private static func hasNoControl(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }
}

extension URL {
    /// Scheme, host and port of a server's address; a request's path is appended to it.
    var origin: String {
        let port = port.map { ":\($0)" } ?? ""
        let host = host ?? ""
        // An IPv6 address is written in brackets.
        let authority = host.utf8.contains(UInt8(ascii: ":")) && !host.utf8.starts(with: "[".utf8) ? "[\(host)]" : host
        return "\(scheme ?? "https")://\(authority)\(port)"
    }
}
