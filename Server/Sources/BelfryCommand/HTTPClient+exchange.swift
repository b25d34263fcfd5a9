import AsyncHTTPClient
import NIOCore

extension HTTPClient {
    /// Sends one request with a deadline that covers everything from the connection to the end of the response body.
    /// The library's own deadline ends with the response head, so a server that sends its body byte by byte would never
    /// time out.
    func exchange(
        _ request: HTTPClientRequest, upTo maximumBytes: Int, deadline: NIODeadline
    ) async throws -> (status: Int, body: ByteBuffer) {
        try await withThrowingTaskGroup(of: (status: Int, body: ByteBuffer).self) { group in
            group.addTask {
                let response = try await self.execute(request, deadline: deadline)
                let body = try await response.body.collect(upTo: maximumBytes)
                return (Int(response.status.code), body)
            }
            group.addTask {
                try await _Concurrency.Task.sleep(for: .nanoseconds((deadline - .now()).nanoseconds))
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            // The group has two tasks, and each of them returns or throws.
            guard let answer = try await group.next() else { throw HTTPClientError.deadlineExceeded }
            return answer
        }
    }
}
