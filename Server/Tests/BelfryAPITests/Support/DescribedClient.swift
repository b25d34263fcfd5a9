import Hummingbird
import Testing

/// Holds every response that a test receives against the description of the API (WIRE-28): so each story proves it.
struct DescribedClient: APIClient {
    let base: any APIClient

    var port: Int? { base.port }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, headers: HTTPFields, body: ByteBuffer?
    ) async throws -> APIResponse {
        let response = try await base.send(method, uri, headers: headers, body: body)
        for error in APIDescription.own.errors(of: response, to: method.rawValue, at: uri) {
            Issue.record(
                "WIRE-28: \(method.rawValue) \(uri.prefix(200)) was answered by \(response.status.code): \(error)"
            )
        }
        return response
    }
}
