import Hummingbird
import HummingbirdTesting

/// A response of a test's server.
package struct APIResponse: Sendable {
    package let status: HTTPResponse.Status
    package let headers: HTTPFields
    package let body: ByteBuffer
}

/// How a test's calls reach its server.
package protocol APIClient: Sendable {
    /// The server's port; nil if it has no socket.
    var port: Int? { get }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields, body: ByteBuffer?
    ) async throws -> APIResponse
}

/// Calls the router, without a socket.
struct RouterClient: APIClient {
    let base: any TestClientProtocol
    var port: Int? { nil }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields, body: ByteBuffer?
    ) async throws -> APIResponse {
        let response = try await base.executeRequest(uri: uri, method: method, headers: headers, body: body)
        return APIResponse(status: response.status, headers: response.headers, body: response.body)
    }
}

/// Calls over one connection.
struct SocketClient: APIClient {
    private let base: TestClient
    private let server: ServerSocket
    var port: Int? { server.port }

    /// A busy machine answers late, and the library's 20 seconds are a bound on time. A server that is gone refuses at once.
    init(of server: ServerSocket) {
        self.server = server
        base = TestClient(host: ServerSocket.host, port: server.port, configuration: .init(timeout: .seconds(900)))
    }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields, body: ByteBuffer?
    ) async throws -> APIResponse {
        var headers = headers
        headers[.connection] = "keep-alive"
        let response = try await base.execute(
            TestClient.Request(uri, method: method, authority: ServerSocket.host, headers: headers, body: body)
        )
        return APIResponse(status: response.status, headers: response.headers, body: response.body ?? ByteBuffer())
    }

    /// Closes the connection after the calls.
    func whileConnected<Value>(_ calls: (SocketClient) async throws -> Value) async throws -> Value {
        base.connect()
        do {
            let value = try await calls(self)
            try await base.shutdown()
            return value
        } catch {
            try await base.shutdown()
            throw error
        }
    }
}
