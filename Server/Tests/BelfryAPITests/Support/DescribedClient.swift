import Hummingbird
import HummingbirdTesting
import Testing

/// Holds every answer that a test receives against the description of the API (WIRE-28): so each story proves it.
struct DescribedClient: TestClientProtocol {
    let base: any TestClientProtocol

    var port: Int? { base.port }

    func executeRequest(
        uri: String, method: HTTPRequest.Method, headers: HTTPFields, body: ByteBuffer?
    ) async throws -> TestResponse {
        let answer = try await base.executeRequest(uri: uri, method: method, headers: headers, body: body)
        for fault in APIDescription.own.faults(of: answer, to: method.rawValue, at: uri) {
            Issue.record(
                "WIRE-28: \(method.rawValue) \(uri.prefix(200)) was answered by \(answer.status.code): \(fault)"
            )
        }
        return answer
    }
}
