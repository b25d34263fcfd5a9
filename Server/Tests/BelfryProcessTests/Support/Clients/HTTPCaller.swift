import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Calls a server over HTTP/1.1, and tells a response that refuses from no response at all.
struct HTTPCaller: Sendable {
    /// A test's own limit ends what hangs.
    static let timeout = TimeAmount.minutes(5)
    static let largestAnswer = 4 * 1_048_576

    struct Response: Sendable, CustomStringConvertible {
        let status: Int
        let headers: HTTPHeaders
        let body: Data

        var description: String { "\(status) \(String(decoding: body, as: UTF8.self))" }

        func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(Value.self, from: body)
        }
    }

    let client: HTTPClient

    /// A client that gives up at once when nobody listens: the server was killed, and waiting for it is the test's
    /// affair. It must be shut down.
    ///
    /// - Parameter tls: whom it trusts; nil: the system's certificates.
    static func make(tls: TLSConfiguration? = nil) -> HTTPCaller {
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = tls
        // A busy machine answers late, and ten seconds, the library's, is a bound on time. A dead server refuses at once.
        configuration.timeout.connect = .minutes(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        // The server ends connections that were idle for 60 seconds: a call that goes out just then gets no answer.
        configuration.connectionPool.idleTimeout = .seconds(30)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        return HTTPCaller(
            client: HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        )
    }

    /// Asks again, as every client does, while the server says that it cannot do it now: servers that share a database
    /// may stand in each other's way.
    ///
    /// - Returns: a response with a status of 200 to 299.
    func call(
        _ method: HTTPMethod, _ url: String, headers: [(String, String)] = [], body: Data? = nil
    ) async throws -> Response {
        let answer = try await eventually("\(method.rawValue) \(url) is done") {
            try await self.answer(method, url, headers: headers, body: body)
        } until: {
            $0.status != 503 || !$0.headers.contains(name: "Retry-After")
        }
        guard (200..<300).contains(answer.status) else {
            throw CallError.rejected(
                call: "\(method.rawValue) \(url)", status: answer.status,
                body: String(decoding: answer.body, as: UTF8.self)
            )
        }
        return answer
    }

    /// - Returns: a response, whatever its status.
    func answer(
        _ method: HTTPMethod, _ url: String, headers: [(String, String)] = [], body: Data? = nil
    ) async throws -> Response {
        var request = HTTPClientRequest(url: url)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        return try await answer(to: request)
    }

    private func answer(to request: HTTPClientRequest) async throws -> Response {
        do {
            let response = try await client.execute(request, timeout: Self.timeout)
            let body = try await response.body.collect(upTo: Self.largestAnswer)
            return Response(
                status: Int(response.status.code), headers: response.headers, body: Data(body.readableBytesView)
            )
        } catch {
            // A cancelled test does not mean that the server is gone.
            try Task.checkCancellation()
            throw CallError.noAnswer(call: "\(request.method.rawValue) \(request.url)", reason: "\(error)")
        }
    }
}

enum CallError: Error, CustomStringConvertible {
    /// No server listens, or the connection ended before the response.
    case noAnswer(call: String, reason: String)
    case rejected(call: String, status: Int, body: String)

    var description: String {
        switch self {
        case .noAnswer(let call, let reason): "\(call) got no answer: \(reason)"
        case .rejected(let call, let status, let body): "\(call) was answered with \(status): \(body)"
        }
    }

    var isNoAnswer: Bool {
        if case .noAnswer = self { true } else { false }
    }
}
