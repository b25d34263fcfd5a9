import AsyncHTTPClient
import Foundation
import NIOCore

/// The HTTP client of a benchmark: one connection for each call that is under way at a time.
struct BenchHTTP: Sendable {
    /// Calls at a time, and connections at most.
    static let width = 64
    private static let timeout = TimeAmount.seconds(30)
    static let maximumResponseBytes = 16 * 1_048_576

    private let client: HTTPClient

    /// Makes one, and closes its connections however the body ends.
    static func run<Value>(_ body: (BenchHTTP) async throws -> Value) async throws -> Value {
        var configuration = HTTPClient.Configuration()
        // Before the server closes what is idle: a call on a connection that is about to end would fail.
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

    /// Whether a request was answered with a status of 200 to 299. False: the server is gone.
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

    /// An answer with a status of 200 to 299, once its body has come.
    func answer(to request: HTTPClientRequest) async throws -> (response: HTTPClientResponse, body: Data) {
        let response = try await client.execute(request, timeout: Self.timeout)
        let body = try await response.body.collect(upTo: Self.maximumResponseBytes)
        guard (200..<300).contains(response.status.code) else {
            throw BenchHTTPError.refused(url: request.url, status: Int(response.status.code))
        }
        return (response, Data(body.readableBytesView))
    }
}

enum BenchHTTPError: Error, CustomStringConvertible {
    case refused(url: String, status: Int)

    var description: String {
        switch self {
        case .refused(let url, let status): "The response from \(url) has status \(status)."
        }
    }
}
