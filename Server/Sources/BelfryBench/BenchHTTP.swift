import AsyncHTTPClient
import Foundation
import NIOCore

/// The HTTP client of a benchmark, with one connection per concurrent call.
struct BenchHTTP: Sendable {
    /// The maximum number of concurrent calls and of connections.
    static let width = 64
    private static let timeout = TimeAmount.seconds(30)
    static let maximumResponseBytes = 16 * 1_048_576

    private let client: HTTPClient

    /// Makes a client, runs the body, and closes the client's connections, also after an error.
    static func run<Value>(_ body: (BenchHTTP) async throws -> Value) async throws -> Value {
        var configuration = HTTPClient.Configuration()
        // Shorter than the server's idle time-out: a call on a connection that is about to be closed would fail.
        configuration.connectionPool.idleTimeout = .seconds(10)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = width
        let client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await body(BenchHTTP(client: client)))
        } catch {
            outcome = .failure(error)
        }
        try await client.shutdown()
        return try outcome.get()
    }

    /// Whether a request had a status of 200 to 299. Returns false when the server is gone.
    func isTaken(_ request: HTTPClientRequest) async throws -> Bool {
        do {
            _ = try await answer(to: request)
            return true
        } catch let error as BenchHTTPError {
            throw error
        } catch {
            try Task.checkCancellation()
            return false
        }
    }

    /// The whole response, if its status is 200 to 299.
    func answer(to request: HTTPClientRequest) async throws -> (response: HTTPClientResponse, body: Data) {
        let response = try await client.execute(request, timeout: Self.timeout)
        let body = try await response.body.collect(upTo: Self.maximumResponseBytes)
        guard (200..<300).contains(response.status.code) else {
            throw BenchHTTPError.rejected(url: request.url, status: Int(response.status.code))
        }
        return (response, Data(body.readableBytesView))
    }
}

enum BenchHTTPError: Error, CustomStringConvertible {
    case rejected(url: String, status: Int)

    var description: String {
        switch self {
        case .rejected(let url, let status): "The response from \(url) has status \(status)."
        }
    }
}
